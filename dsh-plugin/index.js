/**
 * The plugin: a section of the system prompt that holds the map, and the tools that ask the memory.
 *
 * `defineTool` comes from the host's own copy of dsh-tools, which is why that package is a peer: a second copy beside the
 * host's would carry identities of its own, and the first tool call would fail on them.
 */

import { defineTool } from '@deepseek-ai/dsh-tools'
import { Kura } from './lib/client.js'
import { settingsOf } from './lib/settings.js'
import { MapCache } from './lib/map.js'
import { toolsOf } from './lib/tools.js'

export const name = 'distill-kura'
export const inject = ['tools', 'systemPrompt']

/**
 * @param {object} ctx the host's context: `tools` and `systemPrompt` are there
 * @param {object} [config] see README.md
 */
export function apply(ctx, config = {}) {
  const settings = settingsOf(config)
  const kura = new Kura(settings)
  const chosen = new WeakMap() // agent → store, for sessions that may switch
  const storeOf = (agent) => settings.store || (agent && chosen.get(agent)) || ''
  if (settings.prefill) {
    const maps = new MapCache(kura, settings)
    ctx.systemPrompt.section({
      name: 'distill-kura:map',
      order: settings.promptOrder,
      text: (context) => maps.text(storeOf(context?.agent)),
    })
    maps.start(storeOf(undefined))
    ctx.on?.('dispose', () => maps.stop())
  }
  for (const tool of toolsOf(kura, settings, { storeOf, choose: (agent, store) => chosen.set(agent, store) })) {
    ctx.tools.register(defineTool(tool))
  }
}
