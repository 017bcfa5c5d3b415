// What is selected in the timeline: an event with its launch, operator and frames; a range; names that were searched for.
import { h, Fragment } from 'preact'
import { Table, Column } from './table'
import * as f from './format'
import type { Brief } from './view'

export interface EventDetail extends Brief { attributes?: { name: string; value: any }[]; ancestors?: Brief[]; launch?: Brief; operator?: Brief; frames?: Brief[]; started?: Brief }
export interface SelectedRow { sort: string; kind: string; name: string; count: number; total_ns: number; max_ns: number; longest: number }
export interface Selection { start_ns: number; end_ns: number; busy: { device: number; busy_ns: number; ratio: number }[]; rows: SelectedRow[]; skipped: string[] }
export interface FoundName { number: number; name: string; kind: string; count: number; total_ns: number; longest: number }

const kinds: Record<string, string> = { cpu_op: 'operator', python_function: 'Python', cuda_runtime: 'CUDA call', cuda_driver: 'CUDA driver call', gpu_memcpy: 'copy', gpu_memset: 'fill', user_annotation: 'range' }
const kind = (k: string) => kinds[k] ?? k.replace(/_/g, ' ')

export function Detail({ e, pick }: { e: EventDetail; pick: (id: number) => void }) {
  const link = (b: Brief) => <button type="button" class="link" onClick={() => pick(b.id)}>{b.name}</button>
  const rows: [string, any][] = [['Kind', kind(e.kind)], ['Start', f.at(e.start_ns, e.dur_ns)], ['Duration', f.ns(e.dur_ns)]]
  if (e.launch) rows.push(['Launched by', <>{link(e.launch)} <span class="soft">{f.ns(e.start_ns - e.launch.start_ns)} before</span></>])
  if (e.operator) rows.push(['Operator', link(e.operator)])
  if (e.started) rows.push(['Started', <>{link(e.started)} <span class="soft">{f.ns(e.started.start_ns - e.start_ns)} later</span></>])
  if (e.frames?.length) rows.push(['Python', <ol class="frames-list">{e.frames.slice(0, 12).map(b => <li>{link(b)}</li>)}</ol>])
  const around = (e.ancestors ?? []).filter(b => b.kind !== 'python_function')
  if (around.length) rows.push(['Inside', <ol class="frames-list">{around.slice(0, 8).map(b => <li>{link(b)}</li>)}</ol>])
  for (const x of e.attributes ?? []) rows.push([x.name[0].toUpperCase() + x.name.slice(1).replace(/_/g, ' '), value(x.value)])
  return <><h2 class="event-name">{e.name}</h2><dl class="detail">{rows.map(([k, v]) => <div><dt>{k}</dt><dd>{v}</dd></div>)}</dl></>
}

function value(v: any): any {
  if (v && v.dims) return v.dims.map((d: number[], i: number) => (d.length ? '[' + d.join(', ') + '] ' : '') + (v.types?.[i] ?? '') + (v.values?.[i] ? ' ' + v.values[i] : '')).filter((s: string) => s.trim()).join('; ')
  if (v && v.grid) return `grid ${v.grid.join('×')}, block ${v.block.join('×')}` + (v.registers ? `, ${v.registers} registers` : '') + (v.occupancy ? `, occupancy ${f.three(v.occupancy)}%` : '')
  return typeof v === 'number' ? f.count(v) : String(v)
}

const sorts: Record<string, string> = { gpu: 'GPU', host: 'host', idle: 'GPU idle', steps: 'step', ranges: 'range', path: 'critical path' }

export function Selected({ s, pick }: { s: Selection; pick: (id: number) => void }) {
  const columns: Column<SelectedRow>[] = [
    { name: 'Where', value: r => sorts[r.sort] ?? r.sort }, { name: 'Name', value: r => r.name, show: r => <button type="button" class="link name" onClick={() => pick(r.longest)}>{r.name}</button> },
    { name: 'Time', value: r => r.total_ns, show: r => f.ns(r.total_ns), bar: r => r.total_ns / (s.end_ns - s.start_ns) }, { name: 'Count', value: r => r.count, show: r => f.count(r.count) }, { name: 'Longest', value: r => r.max_ns, show: r => f.ns(r.max_ns) },
  ]
  return <><h2>{f.ns(s.end_ns - s.start_ns)} selected</h2><p>{s.busy.map(b => `GPU ${b.device} busy ${f.percent(b.ratio)}`).join(', ') || 'No GPU work'}. <span class="soft">From {f.at(s.start_ns, s.end_ns - s.start_ns)} to {f.at(s.end_ns, s.end_ns - s.start_ns)}.</span></p>
    {s.skipped.length > 0 && <p class="soft">Too many events to sum here, left out: {s.skipped.join(', ')}.</p>}
    <Table id="sel" caption="What happened in the selection" rows={s.rows} columns={columns} /></>
}

export function Found({ found, pick }: { found: { hits: FoundName[]; total: number }; pick: (id: number) => void }) {
  return <><h2>{f.plural(found.total, 'name')} found</h2><Table id="found" caption="Names" sort="Time" rows={found.hits} columns={[
    { name: 'Name', value: r => r.name, show: r => <button type="button" class="link name" onClick={() => pick(r.longest)}>{r.name}</button> }, { name: 'Kind', value: r => kind(r.kind) },
    { name: 'Time', value: r => r.total_ns, show: r => f.ns(r.total_ns) }, { name: 'Count', value: r => r.count, show: r => f.count(r.count) }]} empty="No name matches." /></>
}
