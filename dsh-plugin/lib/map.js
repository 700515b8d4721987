/**
 * The map for the system prompt, from memory: a prompt is assembled on every turn and may not wait for a server.
 *
 * It is fetched in the background with its ETag, so that the same map stays the same bytes and the host's prefix cache holds. Until
 * it is there, and while it cannot be had, the section says that the map is missing: an empty section would read as an empty memory.
 */

const MISSING = (label, why) =>
  `The map of ${label} is MISSING here, not empty: ${why}. Memories may exist that you cannot see; ask with kura_recall, ` +
  'and say so rather than that nothing is known.'

export class MapCache {
  /** @param {import('./client.js').Kura} kura */
  constructor(kura, settings) {
    this.kura = kura
    this.label = settings.label
    this.period = settings.refreshSeconds * 1000
    this.maps = new Map() // store → {text, etag, busy, looked}
    this.timer = undefined
    this.first = settings.start ?? ''
  }

  /** Begin to keep the map of `store`, and of every store asked for later, up to date. */
  start(store) {
    void this.refresh(store || this.first)
    this.timer = setInterval(() => {
      for (const known of this.maps.keys()) void this.refresh(known)
    }, this.period)
    this.timer.unref?.()
  }

  stop() {
    clearInterval(this.timer)
  }

  /** The section's text, now. @param {string} store */
  text(store) {
    const wanted = store || this.first
    const known = this.maps.get(wanted)
    if (!known) void this.refresh(wanted)
    return known?.text ?? MISSING(this.label, 'it has not been read yet')
  }

  /** Look again. Never throws: what went wrong stands in the text, and a map that was read stays. @param {string} store */
  async refresh(store) {
    const known = this.maps.get(store) ?? { text: undefined, etag: '', busy: false }
    this.maps.set(store, known)
    if (known.busy) return
    known.busy = true
    try {
      const headers = known.etag ? { 'if-none-match': known.etag } : {}
      const answer = await this.kura.ask('GET', '/prefill', { store, query: { format: 'text' }, headers })
      if (answer.status === 304) return
      known.text = literal(await answer.text())
      known.etag = answer.headers.get('etag') ?? ''
    } catch (error) {
      if (!known.etag) known.text = MISSING(this.label, literal(error.message))
    } finally {
      known.busy = false
    }
  }
}

/** The host replaces {{names}} in a section, and fails on one it does not know; a memory may well speak of templates. */
export function literal(text) {
  return text.replace(/\{(?=\{)/g, '{ ').replace(/\}(?=\})/g, '} ')
}
