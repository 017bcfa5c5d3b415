import { h, Fragment } from 'preact'
import { useEffect, useMemo, useState } from 'hooks'
import { useData } from './load'
import { Table, Column } from './table'
import { Plot } from './plot'
import { go } from './route'
import { GPUs, Job, Jobs, merge, useGPUs, useLive } from './live'
import * as f from './format'
import type { RunRow, TraceRow } from './types'

interface Index { version: string; runs: RunRow[]; traces: TraceRow[]; snapshots: TraceRow[] }

/** Home lists all Runs and traces, and the speed of the Runs over time. */
export function Home() {
  const { data, instead, again } = useData<Index>('index')
  const [chosen, choose] = useState<string[]>([])
  const [jobs, setJobs] = useState<Job[]>([])
  const [past, addGPUs] = useGPUs()
  useEffect(() => { document.title = 'saturate' }, [])
  useLive('live', (event, d) => {
    if (event === 'state') again()
    if (event === 'jobs') setJobs(old => merge(old, d))
    if (event === 'gpus') addGPUs(d)
  })
  if (!data) return <main id="main" class="page">{instead}</main>
  return <main id="main" class="page">
    <h1>Runs and traces</h1>
    {jobs.length > 0 && <Jobs jobs={jobs} />}
    {(jobs.some(j => !j.over) || data.runs.some(r => r.state === 'running')) && <GPUs past={past} />}
    {data.runs.length > 0 && <Runs runs={data.runs} chosen={chosen} choose={choose} />}
    {data.traces.length > 0 && <section><h2>Traces</h2><Traces traces={data.traces} runs={data.runs} /></section>}
    {data.snapshots.length > 0 && <section><h2>Memory snapshots</h2><Table id="snapshots" caption="Memory snapshots" rows={data.snapshots} columns={[
      { name: 'Snapshot', value: s => s.name, show: s => <a href={'/memory/' + s.id}>{s.name}</a> }, { name: 'Size', value: s => s.bytes, show: s => f.disk(s.bytes) }]} /></section>}
    {!data.runs.length && !data.traces.length && !data.snapshots.length && !jobs.length && <p>No runs yet. <code>saturate profile -- python train.py</code> records one; it appears here while it runs.</p>}
    <footer class="soft">saturate {data.version}</footer>
  </main>
}

function Runs({ runs, chosen, choose }: { runs: RunRow[]; chosen: string[]; choose: (ids: string[]) => void }) {
  const columns: Column<RunRow>[] = useMemo(() => [
    { name: 'Compare', value: () => '', show: r => <input type="checkbox" aria-label={'Compare ' + r.name + ' of ' + f.when(r.started)} checked={chosen.includes(r.id)}
      onChange={() => choose(chosen.includes(r.id) ? chosen.filter(x => x !== r.id) : [...chosen, r.id])} /> },
    { name: 'Run', value: r => r.name, show: r => <a href={'/run/' + r.id}>{r.name}</a> },
    { name: 'State', value: r => r.state, show: r => <span class={'state ' + r.state}>{r.state}</span> },
    { name: 'Step', value: r => r.step_s || undefined, show: r => f.seconds(r.step_s), title: 'median steady step' },
    { name: 'Samples/s', value: r => r.samples_s || undefined, show: r => (r.samples_s ? f.three(r.samples_s) : '') },
    { name: 'Data', value: r => (r.step_s ? r.data_share : undefined), show: r => (r.step_s ? f.percent(r.data_share) : ''), bar: r => r.data_share, title: 'part of a step spent waiting for data, on the rank that waits most' },
    { name: 'Steps', value: r => r.steps },
    { name: 'Started', value: r => Date.parse(r.started), show: r => f.when(r.started) },
    { name: 'Commit', value: r => r.commit, show: r => r.commit && <code>{r.commit.slice(0, 8)}{r.dirty ? '+' : ''}</code> },
    { name: 'GPU', value: r => r.gpu || 'none' },
    ...(new Set(runs.map(r => r.host)).size > 1 ? [{ name: 'Machine', value: (r: RunRow) => r.host }] : []),
    ...(runs.some(r => r.tags.length || r.note) ? [{ name: 'Tags', value: (r: RunRow) => r.tags.join(' ') + ' ' + r.note, show: (r: RunRow) => <Labels run={r} /> }] : []),
  ], [chosen, runs])
  return <>
    <History runs={runs} />
    <section><h2>Runs</h2>
      <Choice n={chosen.length} most={16} what="run" clear={() => choose([])} compare={() => go('/compare?runs=' + chosen.slice().sort((a, b) => order(runs, a) - order(runs, b)).join(','))} />
      <Table id="runs" caption="Runs" columns={columns} rows={runs} sort="Started" /></section>
  </>
}

/** order puts the older Run first: before, then after. */
const order = (runs: RunRow[], id: string) => Date.parse(runs.find(r => r.id === id)?.started ?? '') || 0

function History({ runs }: { runs: RunRow[] }) {
  const [unit, setUnit] = useState<'step' | 'samples'>('step')
  const timed = useMemo(() => runs.filter(r => (unit === 'step' ? r.step_s : r.samples_s) > 0).sort((a, b) => Date.parse(a.started) - Date.parse(b.started)), [runs, unit])
  const names = useMemo(() => [...new Set(timed.map(r => r.name))].slice(0, 7), [timed])
  const lines = useMemo(() => names.map((name, i) => ({
    name, color: '--plot-' + (i + 1), points: true, values: timed.map(r => (r.name === name ? (unit === 'step' ? r.step_s : r.samples_s) : null)),
  })), [timed, names])
  const x = useMemo(() => timed.map((_, i) => i + 1), [timed])
  if (timed.length < 2 && unit === 'step') return null
  return <section><h2>{unit === 'step' ? 'Time per step' : 'Samples per second'}, run by run</h2>
    <div class="tools"><select aria-label="Unit" onChange={e => setUnit((e.target as HTMLSelectElement).value as any)}><option value="step">time per step</option><option value="samples">samples/s</option></select>
      <span class="soft">Click a point to open the run.</span></div>
    <Plot label="Speed of each run" whole x={x} lines={lines} xText={v => { const r = timed[v - 1]; return r && Number.isInteger(v) ? r.commit.slice(0, 7) || f.when(r.started).slice(5, 10) : '' }}
      yText={v => (unit === 'step' ? f.seconds(v) : f.three(v))} onPick={i => go('/run/' + timed[i].id)} /></section>
}

/** Choice is the row of buttons above a table. It is always there, so that a choice moves nothing. */
function Choice({ n, most, what, compare, clear }: { n: number; most: number; what: string; compare: () => void; clear: () => void }) {
  return <p class="choice"><button type="button" disabled={n < 2 || n > most} onClick={compare}>Compare {n ? f.plural(n, what) : what + 's'}</button>
    <button type="button" class="quiet" disabled={!n} onClick={clear}>Clear</button>
    <span class="soft">{n === 0 ? 'Choose two' + (most > 2 ? ' or more' : '') + ' in the table.' : n === 1 ? 'Choose one more.' : n > most ? 'At most ' + most + '.' : ''}</span></p>
}

/** Labels are a Run's tags and note. */
export function Labels({ run }: { run: RunRow }) {
  return <>{run.tags.map(t => <><span class="tag">{t}</span> </>)}{run.note}</>
}

function Traces({ traces, runs }: { traces: TraceRow[]; runs: RunRow[] }) {
  const [chosen, choose] = useState<string[]>([])
  const run = (t: TraceRow) => runs.find(r => r.id === t.run)
  const columns: Column<TraceRow>[] = useMemo(() => [
    ...(traces.length > 1 ? [{ name: 'Compare', value: () => '', show: (t: TraceRow) => <input type="checkbox" aria-label={'Compare ' + t.name} checked={chosen.includes(t.id)}
      onChange={() => choose(chosen.includes(t.id) ? chosen.filter(x => x !== t.id) : [...chosen, t.id])} /> }] : []),
    { name: 'Trace', value: (t: TraceRow) => t.name, show: (t: TraceRow) => <a href={'/trace/' + t.id}>{t.name}</a> },
    { name: 'Size', value: (t: TraceRow) => t.bytes, show: (t: TraceRow) => f.disk(t.bytes) },
    ...(runs.length ? [{ name: 'Run', value: (t: TraceRow) => run(t)?.name ?? '', show: (t: TraceRow) => t.run && <a href={'/run/' + t.run}>{run(t)?.name}</a> }] : []),
  ], [chosen, traces, runs])
  const age = (id: string) => Date.parse(run(traces.find(t => t.id === id)!)?.started ?? '') || 0
  const pair = () => { const [a, b] = age(chosen[0]) <= age(chosen[1]) ? chosen : chosen.slice().reverse(); go('/traces?a=' + a + '&b=' + b) }
  return <>{traces.length > 1 && <Choice n={chosen.length} most={2} what="trace" clear={() => choose([])} compare={pair} />}
    <Table id="traces" caption="Traces" columns={columns} rows={traces} /></>
}
