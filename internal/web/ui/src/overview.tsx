import { h, Fragment } from 'preact'
import { Verdict, Figures, Warnings, Prose } from './report'
import { Stack } from './plot'
import { Table, Column } from './table'
import { OperatorTable } from './operators'
import { causeWords } from './palette'
import { PARTS, Analysis, Gap, IdleCause, Prediction } from './types'
import * as f from './format'

/** meanStep is the mean of all steps, part by part. */
export function meanStep(a: Analysis) {
  const n = Math.max(1, a.steps.length)
  const sum = (k: string) => a.steps.reduce((t, s) => t + (s[k] ?? 0), 0) / n
  const total = a.steps.reduce((t, s) => t + s.end_ns - s.start_ns, 0) / n
  return { total, parts: PARTS.map(([key, name, color]) => ({ name, color, value: sum(key) })) }
}

/** toneOf is good where the GPU itself is the limit; a trace without a GPU does not tell. */
const toneOf = (a: Analysis) => ((a.ranks?.slowest ?? -1) >= 0 ? 'bad' : !a.gpus.length ? 'unsure' : a.verdict.bottleneck === 'none' || a.verdict.bottleneck === 'compute' ? 'good' : 'bad')

export function Overview({ id, a }: { id: string; a: Analysis }) {
  const mean = meanStep(a)
  const gpu = a.gpus.find(g => g.device === a.trace.device) ?? a.gpus[0]
  const best = a.what_if.find(p => p.step_ns)
  const figures = [
    ...(a.steps.length ? [{ name: 'time per step', value: f.ns(mean.total), note: 'mean of ' + f.plural(a.steps.length, 'step') }] : []),
    ...(gpu ? [{ name: 'GPU busy', value: f.percent(gpu.busy_ratio), note: 'idle ' + f.ns(gpu.span.idle_ns) + ' of ' + f.ns(gpu.span.span_ns) }] : []),
    ...(best ? [{ name: 'predicted step', value: f.ns(best.step_ns!), note: f.three((a.what_if_from?.step_ns || mean.total) / best.step_ns!) + '× faster with ' + best.name }] : []),
    ...(gpu ? [{ name: 'kernels', value: f.count(gpu.span.kernels), note: a.trace.gpu }] : []),
  ]
  const gaps = gpu?.longest_gaps ?? []
  return <>
    <p class="kicker">{a.trace.path}{a.trace.gpu && ' · ' + a.trace.gpu}</p>
    <h1>{a.gpus.length ? 'Why the GPU was idle' : 'Overview'}</h1>
    <Verdict tone={toneOf(a)} lines={a.ranks?.sentence ? [a.ranks.sentence, `Rank ${a.ranks.explained}: ${a.verdict.sentence}`] : [a.verdict.sentence]} />
    <Figures list={figures} />
    <Warnings list={a.quality.notes} />
    {a.steps.length > 0 && <section><h2>Where a step goes</h2><Stack parts={mean.parts} total={mean.total} text={f.ns} /></section>}
    {a.busy_over_time.length > 0 && <section><h2>GPU busy over time</h2>{a.busy_over_time.map((row, i) => <Strip id={id} row={row} a={a} name={'GPU ' + a.gpus[i].device} />)}</section>}
    {a.what_if.length > 0 && <section><h2>What would help</h2><WhatIf a={a} mean={mean.total} /></section>}
    {!gpu && a.operators.length > 0 && <section><h2>Where CPU time goes</h2><OperatorTable id={id} a={a} first={12} /></section>}
    {gpu && <section><h2>Idle time by cause</h2><Table id="idle" first={12} caption="Idle time by cause" sort="Time" rows={gpu.idle_by_cause} columns={idleColumns(gpu.span.idle_ns)} /></section>}
    {gaps.length > 0 && <section><h2>Longest gaps</h2><Table id="gaps" first={12} caption="Longest gaps" sort="Length" rows={gaps} columns={gapColumns(id)} /></section>}
    {a.critical_path && <section><h2>Critical path of a step</h2><Table id="path" first={12} caption="Critical path" sort="Time" rows={a.critical_path.parts} columns={[
      { name: 'What', value: p => p.kind }, { name: 'Where', value: p => p.place, show: p => <code>{p.place}</code> },
      { name: 'Time', value: p => p.ns, show: p => f.ns(p.ns), bar: p => p.ns / a.critical_path!.total_ns }]} /></section>}
  </>
}

const idleColumns = (idle: number): Column<IdleCause>[] => [
  { name: 'Cause', value: c => causeWords(c.cause) }, { name: 'Where', value: c => c.place, show: c => <code>{c.place}</code> },
  { name: 'Time', value: c => c.ns, show: c => f.ns(c.ns), bar: c => c.ns / idle }, { name: 'Gaps', value: c => c.gaps },
]

/** around is the address of a part of the timeline with some room at both sides. */
export const around = (id: string, from: number, to: number) => `/trace/${id}/timeline?from=${Math.max(0, Math.round(from - (to - from) * 0.2))}&to=${Math.round(to + (to - from) * 0.2)}`

const gapColumns = (id: string): Column<Gap>[] => [
  { name: 'Starts at', value: g => g.start_ns, show: g => <a href={around(id, g.start_ns, g.end_ns)}>{f.ns(g.start_ns)}</a> },
  { name: 'Length', value: g => g.end_ns - g.start_ns, show: g => f.ns(g.end_ns - g.start_ns) },
  { name: 'Cause', value: g => causeWords(g.cause) }, { name: 'Where', value: g => g.place, show: g => <code>{g.place}</code> },
  { name: 'Ended by', value: g => g.next, show: g => <code>{g.next}</code> },
]

function WhatIf({ a, mean }: { a: Analysis; mean: number }) {
  const now = a.what_if_from?.step_ns || mean
  const notes = a.what_if.map(p => p.note).filter(Boolean), same = notes.length > 1 && notes.every(n => n === notes[0]) // then it is said once
  const columns: Column<Prediction>[] = [
    { name: 'Fix', value: p => p.name, show: p => <><Prose text={p.name} /> <span class="soft">{(p.rules ?? []).join(', ')}</span></> },
    { name: 'Step after', value: p => p.step_ns || undefined, show: p => (p.step_ns ? f.ns(p.step_ns) : '') , bar: p => (p.step_ns ? p.step_ns / now : 0) },
    { name: 'Between', value: p => p.interval_ns[0], show: p => f.ns(p.interval_ns[0]) + ' – ' + f.ns(p.interval_ns[1]) },
    { name: 'Faster', value: p => (p.step_ns ? now / p.step_ns : undefined), show: p => (p.step_ns ? f.three(now / p.step_ns) + '×' : '') },
    ...(same ? [] : [{ name: 'Note', value: (p: Prediction) => p.note ?? '' }]),
  ]
  return <><Table id="whatif" caption="What would help" rows={a.what_if} columns={columns} />
    <p class="soft">A step takes {f.ns(now)} now{a.what_if_from?.calibrated ? ', measured without the profiler' : ', as recorded'}.{same && ' Where a row has only a range: ' + notes[0]}</p></>
}

/** Strip shows how busy a GPU was in equal stretches. */
function Strip({ id, row, a, name }: { id: string; row: number[]; a: Analysis; name: string }) {
  const span = a.window.end_ns - a.window.start_ns
  return <div class="strip-row"><span class="soft">{name}</span>
    <a class="strip" href={`/trace/${id}/timeline`} aria-label={name + ' busy over time; opens the timeline'}>{row.map((v, i) =>
      <span style={{ '--busy': v } as any} title={f.percent(v) + ' busy at ' + f.ns((i / row.length) * span)} />)}</a></div>
}
