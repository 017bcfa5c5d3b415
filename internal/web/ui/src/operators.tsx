import { h, Fragment } from 'preact'
import { Table, Column } from './table'
import type { Analysis, Operator } from './types'
import * as f from './format'

/** OperatorTable is time by operator; without a GPU, only that of the host. */
export function OperatorTable({ id, a, first }: { id: string; a: Analysis; first?: number }) {
  const host = Math.max(1, ...a.operators.map(o => o.host_self_ns)), device = Math.max(1, ...a.operators.map(o => o.device_self_ns))
  const gpu = a.gpus.length > 0
  const columns: Column<Operator>[] = [
    { name: 'Operator', value: o => o.name, show: o => <a class="name" title={o.name} href={`/trace/${id}/timeline?find=${encodeURIComponent(o.name)}`}>{o.name}</a> },
    ...(gpu ? [{ name: 'GPU self', value: (o: Operator) => o.device_self_ns, show: (o: Operator) => f.ns(o.device_self_ns), bar: (o: Operator) => o.device_self_ns / device },
      { name: 'GPU total', value: (o: Operator) => o.device_total_ns, show: (o: Operator) => f.ns(o.device_total_ns) }] : []),
    { name: 'Host self', value: o => o.host_self_ns, show: o => f.ns(o.host_self_ns), bar: o => o.host_self_ns / host },
    { name: 'Host total', value: o => o.host_total_ns, show: o => f.ns(o.host_total_ns) },
    { name: 'Calls', value: o => o.count, show: o => f.count(o.count) },
    ...(gpu ? [{ name: 'Kernels', value: (o: Operator) => o.kernels, show: (o: Operator) => f.count(o.kernels) }] : []),
    { name: 'Per step', value: o => o.per_step || undefined },
  ]
  return <Table id="operators" caption="Operators" first={first} rows={a.operators} columns={columns} sort={gpu ? 'GPU self' : 'Host self'} empty="No operators: this trace has no host side." />
}

type Replay = NonNullable<Analysis['replays']>[0]
const shapes = (o: Replay['operators'][0]) => (o.shapes ?? []).map(s => s.join('×')).join(', ')

/** Replayed is what the kernels of replayed CUDA graphs are, by the operators that were captured. */
function Replayed({ r, i }: { r: Replay; i: number }) {
  const columns: Column<Replay['operators'][0]>[] = [
    { name: 'Operator', value: o => o.operator, show: o => <span class="name" title={o.operator}>{o.operator}</span> }, { name: 'Calls', value: o => o.calls, show: o => f.count(o.calls) },
    { name: 'GPU', value: o => o.total_ns, show: o => f.ns(o.total_ns), bar: o => o.total_ns / Math.max(1, r.total_ns) }, { name: 'TFLOP/s', value: o => o.tflop_per_s },
    { name: 'Of roof', value: o => o.roof_ratio, show: o => (o.roof_ratio ? f.percent(o.roof_ratio) + ' ' + (o.bound ?? '') : '') },
    { name: 'Shapes', value: shapes, show: o => <code title={shapes(o)}>{shapes(o)}</code> }, { name: 'Called by', value: o => o.place ?? '', show: o => <code>{o.place}</code> },
  ]
  return <section><h2>Replayed graphs{r.capture && ' of ' + r.capture}</h2>
    <Table id={'replay' + (i || '')} caption="Replayed graphs" sort="GPU" rows={r.operators} columns={columns} empty="No replayed graph was linked to a capture." />
    <p class="soft">{r.operators.length > 0 && `${f.count(r.launches)} graph ${r.launches === 1 ? 'launch' : 'launches'}, ${f.ns(r.total_ns)} on the GPU. `}
      {r.unknown ? `Not linked, since no capture has their kernels: ${f.count(r.unknown)}. ` : ''}{r.ambiguous ? `Not linked, since several captures with different shapes fit: ${f.count(r.ambiguous)}.` : ''}</p></section>
}

export function Operators({ id, a }: { id: string; a: Analysis }) {
  return <><h1>Operators</h1><OperatorTable id={id} a={a} />
    {a.replays?.map((r, i) => <Replayed r={r} i={i} />)}
    {a.ranges && a.ranges.length > 0 && <section><h2>Ranges marked by the program</h2><Table id="ranges" caption="Ranges" sort="Total" rows={a.ranges} columns={[
      { name: 'Range', value: r => r.name }, { name: 'Total', value: r => r.total_ns, show: r => f.ns(r.total_ns), bar: r => r.share }, { name: 'Count', value: r => r.count }, { name: 'Share', value: r => r.share, show: r => f.percent(r.share) }]} /></section>}</>
}
