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

export function Operators({ id, a }: { id: string; a: Analysis }) {
  return <><h1>Operators</h1><OperatorTable id={id} a={a} />
    {a.ranges && a.ranges.length > 0 && <section><h2>Ranges marked by the program</h2><Table id="ranges" caption="Ranges" sort="Total" rows={a.ranges} columns={[
      { name: 'Range', value: r => r.name }, { name: 'Total', value: r => r.total_ns, show: r => f.ns(r.total_ns), bar: r => r.share }, { name: 'Count', value: r => r.count }, { name: 'Share', value: r => r.share, show: r => f.percent(r.share) }]} /></section>}</>
}
