import { h, Fragment } from 'preact'
import { useEffect, useMemo } from 'hooks'
import { Table } from './table'
import { Plot } from './plot'
import { Figures, ReportView } from './report'
import { useData } from './load'
import { usePresence } from './live'
import type { Analysis, Page, TraceRow } from './types'
import * as f from './format'

/** Memory is what the framework's allocator held over time, and what held it at the peak. */
export function Memory({ id, a }: { id: string; a: Analysis }) {
  const m = a.memory
  const x = useMemo(() => a.memory_curve.map(p => p.at), [a])
  const lines = useMemo(() => [
    ...(a.memory_curve.some(p => p.reserved > 0) ? [{ name: 'reserved', color: '--plot-5', values: a.memory_curve.map(p => (p.reserved < 0 ? null : p.reserved)), dashed: true }] : []),
    { name: 'allocated', color: '--plot-1', values: a.memory_curve.map(p => (p.allocated < 0 ? null : p.allocated)), fill: true },
  ], [a])
  if (!m.recorded) return <><h1>Memory</h1><p>This trace has no allocations. Record it with <code>profile_memory=True</code>, or with <code>saturate profile</code>.</p>
    {m.driver_calls > 0 && <p>The driver allocated or freed memory {f.plural(m.driver_calls, 'time')}: {f.ns(m.driver_ns)}.</p>}</>
  return <><h1>Memory</h1>
    <Figures list={[{ name: 'peak in use', value: f.bytes(m.peak_bytes), note: 'at ' + f.ns(m.peak_at_ns) }, ...(m.reserved_bytes > 0 ? [{ name: 'reserved', value: f.bytes(m.reserved_bytes), note: f.percent(m.fragmentation) + ' not in use at the peak' }] : []),
      ...(m.total_bytes > 0 ? [{ name: 'of the GPU', value: f.percent(m.reserved_bytes / m.total_bytes), note: f.bytes(m.total_bytes) }] : []), { name: 'allocations', value: f.count(m.allocations) }]} />
    {x.length > 1 && <section><h2>{m.device < 0 ? 'Host memory' : 'GPU ' + m.device} over time</h2><Plot label="Memory over time" x={x} lines={lines} height={280} xText={f.ns} yText={f.bytes} binary /></section>}
    <section><h2>Held at the peak</h2><Table id="held" caption="Held at the peak" sort="Size" rows={m.held_at_peak} columns={[
      { name: 'Allocated by', value: r => r.operator, show: r => <code>{r.operator}</code> }, { name: 'Size', value: r => r.bytes, show: r => f.bytes(r.bytes), bar: r => r.bytes / m.peak_bytes }, { name: 'Blocks', value: r => r.blocks }]} /></section>
    {m.spikes.length > 0 && <section><h2>Spikes</h2><Table id="spikes" caption="Spikes" sort="Size" rows={m.spikes} columns={[
      { name: 'At', value: r => r.at_ns, show: r => <a href={`/trace/${id}/timeline?from=${r.at_ns - 2e6}&to=${r.at_ns + 2e6}`}>{f.ns(r.at_ns)}</a> }, { name: 'Size', value: r => r.bytes, show: r => f.bytes(r.bytes) }, { name: 'Operator', value: r => r.operator, show: r => <code>{r.operator}</code> }]} /></section>}</>
}

interface Snapshot { item: TraceRow; report: Page; gpus: { device: number; peak_bytes: number; curve?: { at_us: number; bytes: number }[] }[] }

/** SnapshotPage is a memory snapshot of torch: who held the memory, and how it grew. */
export function SnapshotPage({ id }: { id: string }) {
  usePresence()
  const { data, instead } = useData<Snapshot>('snapshot/' + id, true)
  useEffect(() => { document.title = 'memory · ' + (data?.item.name ?? 'snapshot') + ' · saturate' }, [data])
  if (!data) return <main id="main" class="page">{instead}</main>
  return <main id="main" class="page"><h1>Memory of {data.item.name}</h1>
    <ReportView page={data.report} id="m">{data.gpus.map(g => (g.curve?.length ?? 0) > 1 && <Curve gpu={g} />)}</ReportView></main>
}

function Curve({ gpu }: { gpu: Snapshot['gpus'][0] }) {
  const x = useMemo(() => gpu.curve!.map(p => p.at_us * 1000), [gpu])
  const lines = useMemo(() => [{ name: 'in use', color: '--plot-1', values: gpu.curve!.map(p => p.bytes), fill: true, stepped: true }], [gpu])
  return <section><h2>GPU {gpu.device} over time</h2><Plot label="Memory over time" x={x} lines={lines} height={280} xText={f.ns} yText={f.bytes} binary /></section>
}
