/** Stands in for the host: `@deepseek-ai/dsh-tools` resolves to test/dsh-tools.mjs, so that nothing has to be installed. */
import { register } from 'node:module'

register('data:text/javascript,' + encodeURIComponent(`
  const stub = ${JSON.stringify(new URL('./dsh-tools.mjs', import.meta.url).href)}
  export const resolve = (name, context, next) =>
    name === '@deepseek-ai/dsh-tools' ? { url: stub, shortCircuit: true } : next(name, context)
`))
