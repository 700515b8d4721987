/** What the plugin's config may say. An unknown key or a wrong type is an error that names it: the host shows it at load. */

const KEYS = {
  url: ['string', 'http://127.0.0.1:8085'], // of `kura serve`
  store: ['string', ''], // bind this preset to one store; naming one already binds it
  label: ['string', 'the kura'], // what this memory is called in the tools' descriptions
  readonly: ['boolean', true], // true: kura_remember is not even offered; the store's own policy still decides
  prefill: ['boolean', true], // put the map into the system prompt
  promptOrder: ['number', -50], // before the persona, which often ticks
  allowSwitch: ['boolean', undefined], // default: only where no store is named
  refreshSeconds: ['number', 60], // how often the map is looked at again, in the background
  timeoutSeconds: ['number', 120], // of one call
  tokenEnv: ['string', ''], // environment variable that holds the server's bearer token
}

/**
 * @param {Record<string, unknown>} config
 * @param {Record<string, string | undefined>} [env]
 */
export function settingsOf(config, env = process.env) {
  for (const key of Object.keys(config)) {
    if (!(key in KEYS)) throw new Error(`distill-kura: unknown config key "${key}"; known: ${Object.keys(KEYS).join(', ')}`)
  }
  const settings = {}
  for (const [key, [type, fallback]] of Object.entries(KEYS)) {
    const value = config[key] ?? fallback
    if (value !== undefined && (typeof value !== type || (type === 'number' && !Number.isFinite(value)))) {
      throw new Error(`distill-kura: config key "${key}" wants a ${type}, not ${JSON.stringify(value)}`)
    }
    settings[key] = value
  }
  if (config.store !== undefined && !settings.store.trim()) {
    throw new Error('distill-kura: config key "store" is empty; name a store, or leave the key out')
  }
  settings.store = settings.store.trim()
  settings.switchable = settings.allowSwitch ?? settings.store === ''
  if (settings.switchable && settings.store) {
    // an explicit allowSwitch opens a bound preset again: the named store is then only where it starts
    settings.start = settings.store
    settings.store = ''
  }
  settings.token = settings.tokenEnv ? env[settings.tokenEnv] : ''
  if (settings.tokenEnv && !settings.token) throw new Error(`distill-kura: tokenEnv names ${settings.tokenEnv}, which is not set`)
  if (settings.refreshSeconds <= 0) throw new Error('distill-kura: refreshSeconds must be above 0')
  return Object.freeze(settings)
}
