import { h, Fragment } from 'preact'
import { useEffect, useMemo } from 'hooks'
import { useData } from './load'
import { usePlace } from './route'
import { ReportView } from './report'
import { Table, Column } from './table'
import { Plot, Stack } from './plot'
import { partColor } from './run'
import { Labels } from './home'
import { usePresence } from './live'
import { go } from './route'
import * as f from './format'
import type { Page, RunRow, TraceRow } from './types'

interface Comparison { rows: RunRow[]; steps: number[][]; differences: { what: string; a: string; b: string }[]; report: Page }

/** ComparePage puts Runs side by side: speed, parts, distribution of steps, what differs around them. */
export function ComparePage() {
  const { query } = usePlace()
  usePresence()
  useEffect(() => { document.title = 'Compare · saturate' }, [])
  const { data, instead } = useData<Comparison>('compare?runs=' + encodeURIComponent(query.get('runs') ?? ''))
  if (!data) return <main id="main" class="page">{instead}</main>
  const first = data.rows[0]
  const columns: Column<RunRow>[] = [
    { name: 'Run', value: r => r.name, show: r => <a href={'/run/' + r.id}>{r.name}</a> }, { name: 'Started', value: r => r.started, show: r => <time>{f.when(r.started)}</time> },
    { name: 'Step', value: r => r.step_s || undefined, show: r => f.seconds(r.step_s) },
    { name: 'Faster', value: r => (r.step_s ? first.step_s / r.step_s : undefined), show: r => (r === first || !r.step_s ? '' : f.three(first.step_s / r.step_s) + '×') },
    { name: 'Samples/s', value: r => r.samples_s || undefined }, { name: 'Data', value: r => r.data_share, show: r => f.percent(r.data_share), bar: r => r.data_share },
    { name: 'Commit', value: r => r.commit, show: r => r.commit && <code>{r.commit.slice(0, 8)}{r.dirty ? '+' : ''}</code> }, { name: 'GPU', value: r => r.gpu || 'none' },
    ...(data.rows.some(r => r.tags.length || r.note) ? [{ name: 'Tags', value: (r: RunRow) => r.tags.join(' ') + ' ' + r.note, show: (r: RunRow) => <Labels run={r} /> }] : []),
  ]
  const longest = Math.max(...data.rows.map(r => r.parts.reduce((t, p) => t + p.s, 0)))
  return <main id="main" class="page"><h1>{data.rows.length === 2 ? 'Two runs' : f.count(data.rows.length) + ' runs'} side by side</h1>
    <Table id="compared" caption="Runs" rows={data.rows} columns={columns} />
    {data.rows.some(r => r.parts.length) && <section><h2>Where a step goes</h2>{data.rows.map(r => r.parts.length > 0 && <div class="side"><h3>{r.name} <span class="soft">{f.when(r.started)}</span></h3>
      <Stack part={Math.max(0.04, r.parts.reduce((t, p) => t + p.s, 0) / longest)} total={r.parts.reduce((t, p) => t + p.s, 0)} text={f.seconds} parts={r.parts.map(p => ({ name: p.name, value: p.s, color: partColor(p.name) }))} /></div>)}</section>}
    <Distribution data={data} />
    {data.differences.length > 0 && <section><h2>What else differs</h2><Table id="diff" caption="Differences" rows={data.differences} columns={[
      { name: 'What', value: d => d.what }, { name: first.name, value: d => d.a || '–' }, { name: data.rows[data.rows.length - 1].name + ' ', value: d => d.b || '–' }]} /></section>}
    <section class="inner"><ReportView page={data.report} id="c" /></section>
  </main>
}

/** Distribution is, for each time, the share of steps that end within it. */
function Distribution({ data }: { data: Comparison }) {
  const { x, lines } = useMemo(() => {
    const sorted = data.steps.map(s => s.slice().sort((a, b) => a - b))
    const x = [...new Set(sorted.flat())].sort((a, b) => a - b)
    return { x, lines: sorted.map((s, i) => { let n = 0; return { name: data.rows[i].name + ' ' + f.when(data.rows[i].started).slice(5), color: '--plot-' + (i % 7 + 1), stepped: true, values: x.map(v => { while (n < s.length && s[n] <= v) n++; return s.length ? n / s.length : null }) } }) }
  }, [data])
  if (x.length < 3) return null
  return <section><h2>Share of steps shorter than a given time</h2><Plot label="Distribution of step times" x={x} lines={lines} xText={f.seconds} yText={f.percent} /></section>
}

interface Pair { before: TraceRow; after: TraceRow; report: Page }

/** TracesPage puts two traces side by side: parts of a step, operators, kernels. */
export function TracesPage() {
  const { query } = usePlace()
  usePresence()
  const a = query.get('a') ?? '', b = query.get('b') ?? ''
  const { data, instead } = useData<Pair>('compare-traces?a=' + encodeURIComponent(a) + '&b=' + encodeURIComponent(b), true)
  useEffect(() => { document.title = 'Compare traces · saturate' }, [])
  if (!data) return <main id="main" class="page">{instead}</main>
  return <main id="main" class="page"><h1>Two traces side by side</h1>
    <p class="tools"><span>before <a href={'/trace/' + a}>{data.before.name}</a>, after <a href={'/trace/' + b}>{data.after.name}</a></span>
      <button type="button" class="quiet" onClick={() => go('/traces?a=' + b + '&b=' + a)}>Swap</button></p>
    <section class="inner"><ReportView page={data.report} id="c" /></section>
  </main>
}
