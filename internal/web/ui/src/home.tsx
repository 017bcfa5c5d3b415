import { h, Fragment } from 'preact'
import { useEffect, useMemo, useState } from 'hooks'
import { stream } from './api'
import { useData } from './load'
import { Table, Column } from './table'
import { Plot } from './plot'
import { go } from './route'
import * as f from './format'
import type { RunRow, TraceRow } from './types'

interface Index { version: string; runs: RunRow[]; traces: TraceRow[] }

/** Home lists all Runs and traces, and the speed of the Runs over time. */
export function Home() {
  const { data, instead, again } = useData<Index>('index')
  const [chosen, choose] = useState<string[]>([])
  const [jobs, setJobs] = useState<Job[]>([])
  useEffect(() => {
    document.title = 'saturate'
    const abort = new AbortController()
    let known = 0
    stream('live', (event, d) => { if (event === 'state' && ++known > 0) again(); if (event === 'jobs') setJobs(d) }, abort.signal)
    return () => abort.abort()
  }, [])
  if (!data) return <main id="main" class="page">{instead}</main>
  return <main id="main" class="page">
    <h1>Runs and traces</h1>
    {jobs.length > 0 && <Jobs jobs={jobs} />}
    {data.runs.length > 0 && <Runs runs={data.runs} chosen={chosen} choose={choose} />}
    {data.traces.length > 0 && <section><h2>Traces</h2><Traces traces={data.traces} runs={data.runs} /></section>}
    {!data.runs.length && !data.traces.length && !jobs.length && <p>No runs yet. <code>saturate profile -- python train.py</code> records one; it appears here while it runs.</p>}
    <footer class="soft">saturate {data.version}</footer>
  </main>
}

function Runs({ runs, chosen, choose }: { runs: RunRow[]; chosen: string[]; choose: (ids: string[]) => void }) {
  const columns: Column<RunRow>[] = useMemo(() => [
    { name: 'Compare', value: () => '', show: r => <input type="checkbox" aria-label={'Compare ' + r.name + ' of ' + f.when(r.started)} checked={chosen.includes(r.id)}
      onChange={() => choose(chosen.includes(r.id) ? chosen.filter(x => x !== r.id) : [...chosen, r.id])} /> },
    { name: 'Run', value: r => r.name, show: r => <a href={'/run/' + r.id}>{r.name}</a> },
    { name: 'State', value: r => r.state, show: r => <span class={'state ' + r.state}>{r.state}</span> },
    { name: 'Started', value: r => Date.parse(r.started), show: r => f.when(r.started) },
    { name: 'Step', value: r => r.step_s || undefined, show: r => f.seconds(r.step_s), title: 'median steady step' },
    { name: 'Samples/s', value: r => r.samples_s || undefined, show: r => (r.samples_s ? f.three(r.samples_s) : '') },
    { name: 'Data', value: r => (r.step_s ? r.data_share : undefined), show: r => (r.step_s ? f.percent(r.data_share) : ''), bar: r => r.data_share, title: 'part of a step that waits for data' },
    { name: 'Steps', value: r => r.steps },
    { name: 'Commit', value: r => r.commit, show: r => r.commit && <code>{r.commit.slice(0, 8)}{r.dirty ? '+' : ''}</code> },
    { name: 'GPU', value: r => r.gpu || r.host },
  ], [chosen])
  return <>
    <History runs={runs} />
    <section><h2>Runs</h2>
      {chosen.length > 0 && <p><button type="button" disabled={chosen.length < 2} onClick={() => go('/compare?runs=' + chosen.slice().sort((a, b) => order(runs, a) - order(runs, b)).join(','))}>
        Compare {f.plural(chosen.length, 'run')}</button> <button type="button" class="quiet" onClick={() => choose([])}>Clear</button></p>}
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
    <Plot label="Speed of each run" x={x} lines={lines} xText={v => { const r = timed[v - 1]; return r && Number.isInteger(v) ? r.commit.slice(0, 7) || f.when(r.started).slice(5, 10) : '' }}
      yText={v => (unit === 'step' ? f.seconds(v) : f.three(v))} onPick={i => go('/run/' + timed[i].id)} /></section>
}

function Traces({ traces, runs }: { traces: TraceRow[]; runs: RunRow[] }) {
  const columns: Column<TraceRow>[] = [
    { name: 'Trace', value: t => t.name, show: t => <a href={'/trace/' + t.id}>{t.name}</a> },
    { name: 'Size', value: t => t.bytes, show: t => f.disk(t.bytes) },
    { name: 'Run', value: t => runs.find(r => r.id === t.run)?.name ?? '', show: t => t.run && <a href={'/run/' + t.run}>{runs.find(r => r.id === t.run)?.name}</a> },
  ]
  return <Table id="traces" caption="Traces" columns={columns} rows={traces} />
}

interface Task { task: number; label: string; unit: string; done: number; total?: number; note?: string; s: number; ended?: boolean }
interface Job { command: string; pid: number; tasks: Task[] }

/** Jobs are the commands at work now: what they have done, and how far they are. */
function Jobs({ jobs }: { jobs: Job[] }) {
  const amount = (t: Task) => (t.unit === 'B' ? f.disk(t.done) : f.count(t.done)) + (t.total ? ' of ' + (t.unit === 'B' ? f.disk(t.total) : f.count(t.total)) : '') + (t.unit === 'B' ? '' : ' ' + t.unit)
  return <section class="jobs"><h2>Running now</h2>{jobs.map(j => <article class="job"><h3>saturate {j.command} <span class="state running">process {j.pid}</span></h3>
    <ol>{j.tasks.slice(-12).map(t => <li class={t.ended ? 'soft' : ''}><span>{t.ended ? '✓ ' : ''}{t.label}</span><span>{amount(t)}{t.done > 0 && t.s > 0.5 && t.unit !== 'runs' ? ', ' + (t.unit === 'B' ? f.disk(t.done / t.s) + '/s' : f.three(t.done / t.s) + ' ' + t.unit + '/s') : ''}{t.note ? ', ' + t.note : ''}</span>
      {!t.ended && <progress value={t.total ? t.done : undefined} max={t.total || 1} aria-label={t.label} />}</li>)}</ol></article>)}</section>
}
