import { h, Fragment } from 'preact'
import { useEffect, useMemo, useState } from 'hooks'
import { useData } from './load'
import { ReportView, Findings, Figures } from './report'
import { Table, Column } from './table'
import { Plot, Stack } from './plot'
import { FlameGraph } from './flame'
import { GPUs, useGPUs, useLive } from './live'
import { Labels } from './home'
import { Panes } from './trace'
import * as f from './format'
import type { Finding, RunPage, RunStep } from './types'

const order = ['data', 'h2d', 'forward', 'backward', 'optimizer', 'other']
/** partColor is the class of a part's color: the same part has the same color in every view. */
export const partColor = (name: string) => 'p-' + ({ data: 'data', h2d: 'h2d', forward: 'compute', backward: 'launch', optimizer: 'sync', other: 'idle' }[name] ?? 'host')

/** RunPageView is one Run. While it runs, its steps come as they are made. */
export function RunPageView({ id, pane }: { id: string; pane: string }) {
  const { data, instead, again } = useData<RunPage>('run/' + id)
  const [steps, setSteps] = useState<RunStep[]>([])
  const [state, setState] = useState<string>()
  useEffect(() => { document.title = (data?.row.name ?? 'run') + ' · saturate' }, [data])
  const running = (state ?? data?.row.state) === 'running'
  const [past, addGPUs] = useGPUs()
  useLive('live?run=' + (data?.row.state === 'running' ? id : '-'), (event, d) => {
    if (event === 'open' || event === 'restart') setSteps([])
    if (event === 'steps') setSteps(s => s.concat(d.steps))
    if (event === 'gpus') addGPUs(d)
    if (event === 'state') { setState(d.state); if (d.state !== 'running') setTimeout(again, 100) }
  })
  if (!data) return <main id="main" class="page">{instead}</main>
  const all = data.row.state === 'running' ? steps : data.steps
  const panes: [string, string, any?][] = [['overview', 'Overview'], ['steps', 'Steps', all.length], ...(data.flame ? [['loading', 'Where host time goes'] as [string, string]] : []),
    ['findings', 'Findings', data.report.findings.length], ['environment', 'Environment'], ...data.row.traces.map((t, i) => ['/trace/' + t, data.row.traces.length > 1 ? traceName(data.row.called[i]) : 'Trace'] as [string, string])]
  let body
  if (pane === 'steps') body = <><h1>Steps</h1><RunSteps steps={all} steady={data.steady} running={running} /></>
  else if (pane === 'loading' && data.flame) body = <><h1>Where host time goes</h1><p class="soft">Sampled from the stacks of the training process and its loader workers. Click a frame to zoom in.</p><FlameGraph root={data.flame} /></>
  else if (pane === 'findings') body = <><h1>Findings</h1><Findings list={data.report.findings} none="No findings in this Run." /><InTheCode id={id} /></>
  else if (pane === 'environment') body = <Environment data={data} />
  else body = running ? <Live data={data} steps={steps} past={past} /> : <><p class="kicker">{f.when(data.row.started)} · <span class={'state ' + data.row.state}>{data.row.state}</span></p><h1>{data.row.name}</h1>
    {(data.row.tags.length > 0 || data.row.note) && <p><Labels run={data.row} /></p>}
    {data.note && <p class="soft">{data.note}</p>}<ReportView page={data.report} /></>
  return <div class="with-panes">
    <Panes base={'/run/' + id} pane={pane} list={panes} name={data.row.name}>{running && <> <span class="state running">live</span></>}</Panes>
    <main id="main" class="page">{body}</main></div>
}

/** InTheCode is what the rules find in the Run's code, with its lines and patches. */
function InTheCode({ id }: { id: string }) {
  const { data, instead } = useData<{ folder: string; findings: Finding[]; note?: string }>('run/' + id + '/code')
  return <section><h2>In the code</h2>{!data ? instead : data.note ? <p class="soft">{data.note}</p> : <>
    <p class="soft">Findings of <code>saturate scan</code> in the current code of {data.folder}. <code>saturate fix</code> applies the patches.</p><Findings list={data.findings} /></>}</section>
}

/** means are the mean parts of the last steps. */
function means(steps: RunStep[]) {
  const sum = new Map<string, number>()
  for (const s of steps) {
    let named = 0
    for (const p of s.parts ?? []) { sum.set(p.name, (sum.get(p.name) ?? 0) + p.s); named += p.s }
    if (s.parts) sum.set('other', (sum.get('other') ?? 0) + Math.max(0, s.s - named))
  }
  return [...sum].map(([name, v]) => ({ name, value: v / steps.length, color: partColor(name) })).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

function Live({ data, steps, past }: { data: RunPage; steps: RunStep[]; past: any[] }) {
  const last = steps.slice(-50)
  const mean = last.length ? last.reduce((t, s) => t + s.s, 0) / last.length : 0
  const samples = last.length && last.every(s => s.samples) ? last.reduce((t, s) => t + s.samples!, 0) / last.reduce((t, s) => t + s.s, 0) : 0
  const loss = steps.length ? steps[steps.length - 1].loss : undefined
  const parts = means(last)
  return <><p class="kicker"><span class="state running">running</span> since {f.when(data.row.started)}</p><h1>{data.row.name}</h1>
    <div aria-live="off"><Figures list={[{ name: 'steps', value: f.count(steps.length) }, { name: 'time per step', value: mean ? f.seconds(mean) : '…', note: 'mean of the last ' + last.length },
      ...(samples ? [{ name: 'samples/s', value: f.three(samples) }] : []), ...(loss !== undefined ? [{ name: 'loss', value: typeof loss === 'number' ? f.three(loss) : String(loss) }] : [])]} /></div>
    {!steps.length && <p role="status">Waiting for the first step…</p>}
    {parts.length > 0 && <section><h2>Where a step goes</h2><Stack parts={parts} total={parts.reduce((t, p) => t + p.value, 0)} text={f.seconds} /></section>}
    {steps.length > 1 && <section><h2>Steps so far</h2><StepPlot steps={steps} /></section>}
    <GPUs past={past} />
    {data.row.command && <section><h2>Command</h2><pre tabIndex={0}><code>{data.row.command.join(' ')}</code></pre></section>}</>
}

function StepPlot({ steps }: { steps: RunStep[] }) {
  const x = useMemo(() => steps.map(s => s.step), [steps])
  const lines = useMemo(() => [
    { name: 'step', color: '--plot-1', values: steps.map(s => s.s), fill: true },
    ...(steps.some(s => s.parts?.some(p => p.name === 'data')) ? [{ name: 'waiting for data', color: '--plot-2', values: steps.map(s => s.parts?.find(p => p.name === 'data')?.s ?? null) }] : []),
  ], [steps])
  return <Plot label="Time of each step" whole x={x} lines={lines} xText={v => (Number.isInteger(v) ? f.count(v) : '')} yText={f.seconds} />
}

function RunSteps({ steps, steady, running }: { steps: RunStep[]; steady: number[]; running: boolean }) {
  const ordinary = useMemo(() => new Set(steady), [steady])
  const names = useMemo(() => [...new Set(steps.flatMap(s => (s.parts ?? []).map(p => p.name)))], [steps])
  const most = Math.max(1e-12, ...steps.map(s => s.s))
  const columns: Column<RunStep>[] = [
    { name: 'Step', value: s => s.step }, { name: 'Time', value: s => s.s, show: s => f.seconds(s.s), bar: s => s.s / most },
    ...names.map(n => ({ name: n, value: (s: RunStep) => s.parts?.find(p => p.name === n)?.s, show: (s: RunStep) => f.seconds(s.parts?.find(p => p.name === n)?.s ?? 0) })),
    { name: 'Samples', value: s => s.samples || undefined }, { name: 'Loss', value: s => (typeof s.loss === 'number' ? s.loss : undefined), show: s => (s.loss === undefined ? '' : typeof s.loss === 'number' ? s.loss.toPrecision(5) : String(s.loss)) },
    { name: 'Kind', value: s => (s.tags ?? []).join(', ') },
    ...(running ? [] : [{ name: 'Judged', value: (s: RunStep) => (ordinary.has(steps.indexOf(s)) ? 'yes' : ''), title: 'the speed is judged by steady steps only' }]),
  ]
  return <>{steps.length > 1 && <StepPlot steps={steps} />}<Table id="steps" caption="Steps" rows={steps} columns={columns} empty="No steps were recorded." /></>
}

/** words makes a field's name readable: memory_bytes is memory. */
const words = (field: string) => field.replace(/_bytes$/, '').replace(/_/g, ' ')

function Environment({ data }: { data: RunPage }) {
  const e = data.run.environment
  const rows: [string, string][] = []
  const walk = (name: string, v: any) => {
    if (v === null || v === undefined || v === '') return
    if (Array.isArray(v) && v.every(x => typeof x !== 'object')) rows.push([name, v.join(', ')])
    else if (typeof v === 'object') for (const [k, x] of Object.entries(v)) walk(['machine', 'versions'].includes(name) ? words(k) : name === 'variables' ? '$' + k : name ? name + ' ' + words(k) : words(k), x)
    else rows.push([name, name.endsWith('memory') && typeof v === 'number' ? f.bytes(v) : typeof v === 'boolean' ? (v ? 'yes' : 'no') : String(v)])
  }
  walk('', e)
  return <><h1>Environment</h1>{data.row.command && <pre tabIndex={0}><code>{data.row.command.join(' ')}</code></pre>}
    <Table id="env" caption="Environment" rows={rows} columns={[{ name: 'What', value: r => r[0] }, { name: 'Value', value: r => r[1], show: r => <span class="anywhere">{r[1]}</span> }]} />
    {data.run.notes?.length > 0 && <section><h2>Notes</h2><ul>{data.run.notes.map((n: string) => <li>{n}</li>)}</ul></section>}
    {data.run.artefacts?.length > 0 && <section><h2>Files</h2><ul>{data.run.artefacts.map((x: any) => <li><code>{x.path}</code> <span class="soft">{x.kind}</span></li>)}</ul></section>}</>
}

/** traceName is short: Trace of 2 ranks, Trace rank0_20261117-035600-233. */
const traceName = (name: string) => 'Trace ' + name.replace(/\.pt\.trace\.json(\.gz)?$/, '').replace(/^profiler_traces: /, 'of ').replace(/, \d+ recordings each$/, '')
