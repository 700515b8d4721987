import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import * as plugin from '../index.js'
import { literal } from '../lib/map.js'
import { settingsOf } from '../lib/settings.js'

const closing = []
after(() => closing.forEach((close) => close()))

/** A server that answers from `routes`: 'METHOD /path' → (url, body, request) => [status, value, headers]. */
async function serving(routes) {
  const seen = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const url = new URL(request.url, 'http://x')
    const body = text ? JSON.parse(text) : undefined
    seen.push({ method: request.method, path: url.pathname, query: Object.fromEntries(url.searchParams), body, headers: request.headers })
    const route = routes[`${request.method} ${url.pathname}`]
    const [status, value, headers = {}] = route ? route(url, body, request) : [404, { error: 'no-such-route', message: 'Not Found' }]
    const plain = typeof value === 'string'
    response.writeHead(status, { 'content-type': plain ? 'text/plain' : 'application/json', ...headers })
    response.end(status === 304 ? undefined : plain ? value : JSON.stringify(value))
  })
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  closing.push(() => server.close())
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done) }) }
}

/** Load the plugin as the host does; what it registers is handed back. */
function loaded(config) {
  const tools = {}
  const sections = []
  let dispose = () => {}
  const ctx = {
    tools: { register: (tool) => (tools[tool.name] = tool) },
    systemPrompt: { section: (section) => sections.push(section) },
    on: (event, listener) => { if (event === 'dispose') dispose = listener },
  }
  plugin.apply(ctx, config)
  closing.push(() => dispose())
  return { tools, section: sections[0], dispose: () => dispose() }
}

/** Wait until `holds` does: what happens in the background takes the time it takes. */
async function until(holds) {
  for (let i = 0; i < 1000 && !holds(); i++) await new Promise((r) => setTimeout(r, 20))
  assert.ok(holds(), String(holds))
}
const PREFILL = { 'GET /prefill': () => [200, 'the map', { etag: '"1"' }] }
const REPLY = { how: 'fastpath', degraded: false, picked: ['a'], walked: [], dropped_for_budget: [], warnings: [], suggestions: [], context: 'framed' }

test('a bound preset is offered neither another store nor a way to switch nor to write', async () => {
  const { tools } = loaded({ url: (await serving(PREFILL)).url, store: 'eq' })
  assert.deepEqual(Object.keys(tools).sort(), ['kura_doctor', 'kura_glance', 'kura_map', 'kura_read', 'kura_recall', 'kura_search'])
  for (const tool of Object.values(tools)) assert.equal(tool.parameters.store, undefined)
})

test('a free preset may list, switch and name a store; writing wants readonly: false', async () => {
  const url = (await serving(PREFILL)).url
  assert.ok(loaded({ url }).tools.kura_use)
  assert.ok(loaded({ url }).tools.kura_list)
  assert.equal(loaded({ url }).tools.kura_remember, undefined)
  assert.ok(loaded({ url, readonly: false }).tools.kura_remember)
  assert.equal(loaded({ url, allowSwitch: false }).tools.kura_use, undefined)
  assert.ok(loaded({ url, store: 'eq', allowSwitch: true }).tools.kura_use)
  assert.equal(loaded({ url, prefill: false }).section, undefined)
  assert.equal(loaded({ url, prefill: false }).tools.kura_map, undefined)
})

test('a bound tool asks its own store whatever it is told', async () => {
  const server = await serving({ ...PREFILL, 'POST /recall': () => [200, REPLY] })
  const { tools } = loaded({ url: server.url, store: 'eq' })
  assert.match(await tools.kura_recall.run({ question: 'q', store: 'maker' }), /framed/)
  const asked = server.seen.find((s) => s.path === '/recall')
  assert.equal(asked.query.store, 'eq')
  assert.deepEqual(asked.body, { question: 'q', hops: 1, top: 3 })
})

test('a session that switches takes only itself along', async () => {
  const server = await serving({
    'GET /prefill': (url) => [200, `map of ${url.searchParams.get('store') ?? 'none'}`, { etag: '"x"' }],
    'GET /doctor': (url) => (url.searchParams.get('store') === 'eq' ? [200, { store: 'eq' }] : [404, { error: 'unknown-store', message: 'unknown store' }]),
    'GET /map': (url) => [200, `map of ${url.searchParams.get('store') ?? 'none'}`],
  })
  const { tools, section } = loaded({ url: server.url })
  const [one, other] = [{}, {}]
  await assert.rejects(tools.kura_use.run({ store: 'nobody' }, { agent: one }), /unknown store/)
  await tools.kura_use.run({ store: 'eq' }, { agent: one })
  assert.equal(await tools.kura_map.run({}, { agent: one }), 'map of eq')
  assert.equal(await tools.kura_map.run({}, { agent: other }), 'map of none')
  assert.match(section.text({ agent: one }), /MISSING/) // asked for now, read in the background
  await until(() => section.text({ agent: one }) === 'map of eq')
  await until(() => section.text({ agent: other }) === 'map of none')
  await assert.rejects(tools.kura_use.run({ store: 'eq' }), /no session/)
})

test('the map is rendered from memory, says that it is missing until it is there, and is never empty', async () => {
  let answer
  const server = await serving({ 'GET /prefill': () => answer })
  answer = [503, { error: 'configuration', message: 'the store is not there' }]
  const { section, dispose } = loaded({ url: server.url, store: 'eq', label: 'EQ mode', refreshSeconds: 0.05 })
  assert.equal(section.order, -50)
  assert.match(section.text({}), /EQ mode is MISSING here, not empty: it has not been read yet/)
  await until(() => /MISSING here, not empty: the store is not there/.test(section.text({})))
  answer = [200, 'one line', { etag: '"a"' }]
  await until(() => section.text({}) === 'one line')
  answer = [304, '']
  await until(() => server.seen.filter((s) => s.headers['if-none-match'] === '"a"').length > 2)
  assert.equal(section.text({}), 'one line')
  await server.close() // what was read stays when the server goes: the same bytes keep the prefix cache
  await new Promise((r) => setTimeout(r, 200))
  assert.equal(section.text({}), 'one line')
  dispose()
})

test('a map that speaks of templates does not break the host s prompt', async () => {
  assert.equal(literal('use {{name}} and {{{x}}}, {y} and }'), 'use { {name} } and { { {x} } }, {y} and }')
  const server = await serving({ 'GET /prefill': () => [200, 'use {{cwd}} here', { etag: '"t"' }] })
  const { section } = loaded({ url: server.url, store: 'eq' })
  await until(() => section.text({}).startsWith('use'))
  assert.ok(!/\{\{[^{}]*\}\}/.test(section.text({})))
})

test('what is out of reach is told as out of reach, a refusal in the server s own words', async () => {
  const server = await serving({ ...PREFILL, 'POST /remember': () => [403, { error: 'write-refused', message: 'write refused (write_policy frozen)', policy: 'frozen' }] })
  const { tools } = loaded({ url: server.url, store: 'eq', readonly: false })
  await assert.rejects(tools.kura_remember.run({ slug: 'a-b', description: 'd' }), /write_policy frozen/)
  await server.close()
  await assert.rejects(tools.kura_recall.run({ question: 'q' }), /out of reach, not empty/)
})

test('an empty answer says what it means, and a degraded one that it is', async () => {
  const server = await serving({ ...PREFILL, 'POST /recall': () => [200, { ...REPLY, how: 'words(thinker unreachable)', degraded: true, picked: [], suggestions: ['near\u001b[31m: line'] }] })
  const said = await loaded({ url: server.url, store: 'eq' }).tools.kura_recall.run({ question: 'q' })
  assert.match(said, /⚠ degraded/)
  assert.match(said, /not proof that it never happened/)
  assert.ok(said.includes('nearest line, unconfirmed: near') && !said.includes('\u001b'))
})

test('a slug is one segment of the path, whatever it holds', async () => {
  const server = await serving(PREFILL)
  const { tools } = loaded({ url: server.url, store: 'eq' })
  await assert.rejects(tools.kura_read.run({ slug: '../../stores' }), /Not Found/)
  assert.ok(server.seen.some((s) => s.path === '/memory/..%2F..%2Fstores'))
})

test('a caller that goes away takes the call with it', async () => {
  const server = await serving({ ...PREFILL, 'POST /recall': () => [200, REPLY] })
  const gone = AbortSignal.abort()
  await assert.rejects(loaded({ url: server.url, store: 'eq' }).tools.kura_recall.run({ question: 'q' }, { signal: gone }), { name: 'AbortError' })
})

test('a config that cannot be meant is refused by name', () => {
  for (const [config, named] of [[{ stor: 'eq' }, /stor/], [{ store: ' ' }, /store/], [{ readonly: 'yes' }, /readonly/], [{ promptOrder: NaN }, /promptOrder/], [{ tokenEnv: 'KURA_NO_SUCH' }, /KURA_NO_SUCH/], [{ refreshSeconds: 0 }, /refreshSeconds/]]) {
    assert.throws(() => settingsOf(config, {}), named)
  }
  assert.equal(settingsOf({ tokenEnv: 'T' }, { T: 'abc' }).token, 'abc')
})

test('against a real server the tools say what it says', { skip: !process.env.KURA_TEST_URL }, async () => {
  const { tools, section } = loaded({ url: process.env.KURA_TEST_URL, readonly: false })
  const own = { store: 'maker' }
  assert.match(await tools.kura_recall.run({ question: 'kelp-cache', ...own }), /how: fastpath[^]*kelp-cache/)
  assert.match(await tools.kura_glance.run({ slug: 'kelp-cache', ...own }), /one week/)
  assert.match(await tools.kura_read.run({ slug: 'kelp-cache', ...own }), /Nothing else is kept there/)
  assert.match(await tools.kura_map.run(own), /kelp-cache/)
  assert.match(await tools.kura_search.run({ query: 'kelp', ...own }), /Nothing in the raw/)
  assert.match(await tools.kura_doctor.run(own), /"store": "maker"/)
  assert.match(await tools.kura_list.run({}), /maker: 3 memories/)
  assert.match(await tools.kura_remember.run({ slug: 'tide-table', description: 'the tide table is printed on Mondays', ...own }), /created: tide-table/)
  await assert.rejects(tools.kura_remember.run({ slug: 'tide-table', description: 'x y z', store: 'eq' }), /distiller-only/)
  await assert.rejects(tools.kura_read.run({ slug: 'nothing', ...own }), /holds no memory/)
  const agent = {}
  await tools.kura_use.run({ store: 'talk' }, { agent })
  await until(() => /quiet-evenings/.test(section.text({ agent })))
})
