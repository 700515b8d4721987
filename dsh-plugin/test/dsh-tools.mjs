/** What the plugin uses of the host's tools package, with the host's own rules about what a definition must hold. */
export function defineTool(options) {
  for (const key of ['name', 'description', 'parameters', 'output', 'execute']) {
    if (options[key] === undefined) throw new Error(`a tool needs ${key}`)
  }
  if (!options.output.schema || !options.output.render) throw new Error('a tool must declare its output')
  for (const [name, spec] of Object.entries(options.parameters)) {
    if (!['string', 'integer', 'number', 'boolean', 'array'].includes(spec.type)) throw new Error(`parameter ${name}: ${spec.type}`)
  }
  return {
    ...options,
    async run(args, exec = {}) {
      const missing = Object.entries(options.parameters).filter(([k, s]) => s.required && args[k] === undefined)
      if (missing.length) throw new Error(`INVALID_ARGS ${missing.map(([k]) => k)}`)
      const value = await options.execute(args, { signal: new AbortController().signal, ...exec })
      if (typeof value !== 'string') throw new Error('the value does not fit the declared output')
      return options.output.render(args, value).map((part) => part.text).join('')
    },
  }
}
