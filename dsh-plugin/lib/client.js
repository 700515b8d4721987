/** A kura server over HTTP. What cannot be reached is told as out of reach, never as empty. */

export class OutOfReach extends Error {}

export class Refused extends Error {}

export class Kura {
  /** @param {{url: string, token?: string, timeoutSeconds: number}} settings */
  constructor(settings) {
    this.url = settings.url.replace(/\/+$/, '')
    this.timeout = settings.timeoutSeconds * 1000
    this.headers = settings.token ? { authorization: `Bearer ${settings.token}` } : {}
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{store?: string, body?: object, query?: Record<string, string | number>, signal?: AbortSignal, headers?: object}} [options]
   * @returns {Promise<Response>} a good answer, or 304
   */
  async ask(method, path, { store, body, query = {}, signal, headers = {} } = {}) {
    const asked = new URLSearchParams(Object.entries({ ...query, ...(store ? { store } : {}) }).map(([k, v]) => [k, String(v)]))
    const limit = AbortSignal.timeout(this.timeout)
    let answer
    try {
      answer = await fetch(`${this.url}${path}${asked.size ? `?${asked}` : ''}`, {
        method,
        headers: { ...this.headers, ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body ? JSON.stringify(body) : undefined,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
    } catch (error) {
      if (signal?.aborted) throw error
      const why = limit.aborted ? `no answer within ${this.timeout / 1000} s` : (error.cause?.code ?? error.message)
      throw new OutOfReach(`kura at ${this.url} cannot be reached (${why}). Its memory is out of reach, not empty.`)
    }
    if (answer.ok || answer.status === 304) return answer
    const told = await answer.json().then((problem) => problem.message, () => undefined)
    throw new Refused(told ?? `kura answered HTTP ${answer.status}`)
  }

  /** @returns {Promise<any>} */
  async json(method, path, options) {
    return (await this.ask(method, path, options)).json()
  }
}
