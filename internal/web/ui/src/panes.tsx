import { h, Fragment } from 'preact'
import { useMemo } from 'hooks'
import { Table, Column } from './table'
import { Plot } from './plot'
import { around } from './overview'
import { go } from './route'
import { PARTS, Analysis, Kernel, Step, Sync, Transfer } from './types'
import * as f from './format'

const length = (s: Step) => s.end_ns - s.start_ns

/** Steps is every step with its parts; outliers stand out by their distance from the median. */
export function Steps({ id, a }: { id: string; a: Analysis }) {
  const sorted = a.steps.map(length).sort((x, y) => x - y)
  const median = sorted[sorted.length >> 1] ?? 0
  const x = useMemo(() => a.steps.map((s, i) => i), [a])
  const lines = useMemo(() => [
    { name: 'step', color: '--plot-1', values: a.steps.map(length), fill: true },
    { name: 'GPU idle', color: '--plot-2', values: a.steps.map(s => length(s) - s.compute_ns - s.communication_ns - s.h2d_ns - s.other_gpu_ns) },
  ], [a])
  const columns: Column<Step>[] = [
    { name: 'Step', value: s => s.number, show: s => <a href={around(id, s.start_ns, s.end_ns)}>{s.number}</a> },
    { name: 'Time', value: length, show: s => f.ns(length(s)), bar: s => length(s) / sorted[sorted.length - 1] },
    { name: '× median', value: s => length(s) / median, show: s => <span class={length(s) > 1.5 * median ? 'slow' : ''}>{f.three(length(s) / median)}</span> },
    ...PARTS.filter(([k]) => a.steps.some(s => s[k] > 0)).map(([k, name]) => ({ name, value: (s: Step) => s[k], show: (s: Step) => (s[k] ? f.ns(s[k]) : '') })),
    { name: 'kernels', value: s => s.kernels, show: s => f.count(s.kernels) },
  ]
  if (!a.steps.length) return <><h1>Steps</h1><p>{a.gpus.length ? <>No steps were found in this trace. <code>saturate instrument</code> adds marks to a program.</> : 'Steps are split by what the GPU does, and this trace shows no GPU work. The timeline has the ranges of the program, with its steps.'}</p></>
  return <><h1>Steps</h1>
    {a.steps.length > 1 && <Plot label="Time of each step" whole x={x} lines={lines} xText={v => (a.steps[v] ? 'step ' + a.steps[v].number : '')} yText={f.ns}
      onPick={i => go(around(id, a.steps[i].start_ns, a.steps[i].end_ns))} />}
    <p class="soft">Drag over the plot to zoom, double-click for all, click a step for its timeline.</p>
    <Table id="steps" caption="Steps" rows={a.steps} columns={columns} /></>
}

export function Kernels({ id, a }: { id: string; a: Analysis }) {
  const roof = a.kernels.some(k => k.roof_ratio)
  const columns: Column<Kernel>[] = [
    { name: 'Kernel', value: k => k.name, show: k => <a class="name" title={k.name} href={`/trace/${id}/timeline?find=${encodeURIComponent(k.name)}`}>{k.name}</a> },
    { name: 'Total', value: k => k.total_ns, show: k => f.ns(k.total_ns), bar: k => k.share },
    { name: 'Share', value: k => k.share, show: k => f.percent(k.share) },
    { name: 'Count', value: k => k.count, show: k => f.count(k.count) },
    { name: 'Mean', value: k => k.mean_ns, show: k => f.ns(k.mean_ns) },
    { name: 'Max', value: k => k.max_ns, show: k => f.ns(k.max_ns) },
    { name: 'Operator', value: k => k.operator ?? '', show: k => <code title={k.operator}>{k.operator}</code> },
    { name: 'Tensor cores', value: k => k.tensor_cores.replace('not_applicable', '') },
    { name: 'Occupancy', value: k => k.occupancy || undefined, show: k => (k.occupancy ? f.percent(k.occupancy) : '') },
    ...(roof ? [{ name: 'Of roof', value: (k: Kernel) => k.roof_ratio || undefined, show: (k: Kernel) => (k.roof_ratio ? f.percent(k.roof_ratio) + ' ' + k.bound : ''), title: 'least possible time by shapes and the GPU’s peaks, over the time it took' },
      { name: 'TFLOP/s', value: (k: Kernel) => k.tflop_per_s || undefined, show: (k: Kernel) => (k.tflop_per_s ? f.three(k.tflop_per_s) : '') }] : []),
    { name: 'Per step', value: k => k.per_step || undefined },
  ]
  return <><h1>Kernels</h1><Table id="kernels" caption="Kernels" rows={a.kernels} columns={columns} sort="Total" empty="No kernels: this trace shows no GPU work." /></>
}

export function Copies({ a }: { a: Analysis }) {
  const copies: Column<Transfer>[] = [
    { name: 'Copy', value: t => t.kind }, { name: 'Host memory', value: t => t.memory }, { name: 'Count', value: t => t.count, show: t => f.count(t.count) },
    { name: 'Size', value: t => t.bytes, show: t => f.disk(t.bytes) }, { name: 'GPU time', value: t => t.total_ns, show: t => f.ns(t.total_ns) },
    { name: 'Hidden', value: t => t.hidden_ns / Math.max(1, t.total_ns), show: t => f.percent(t.hidden_ns / Math.max(1, t.total_ns)), title: 'while kernels ran' },
    { name: 'Host blocked', value: t => t.blocking_ns, show: t => f.ns(t.blocking_ns) }, { name: 'GB/s', value: t => t.gb_per_s },
  ]
  const waits: Column<Sync>[] = [
    { name: 'Where', value: s => s.place, show: s => <code>{s.place}</code> }, { name: 'Call', value: s => s.call, show: s => <code>{s.call}</code> },
    { name: 'Count', value: s => s.count }, { name: 'Host time', value: s => s.host_ns, show: s => f.ns(s.host_ns) }, { name: 'Per step', value: s => s.per_step || undefined },
  ]
  return <><h1>Copies and waits</h1><section><h2>Copies</h2><Table id="copies" caption="Copies" sort="GPU time" rows={a.transfers} columns={copies} empty="No copies to or from a GPU." /></section>
    <section><h2>Host waits for the GPU</h2><Table id="waits" caption="Waits" sort="Host time" rows={a.synchronizations} columns={waits} empty="The host never waits for the GPU." /></section></>
}

/** Ranks puts the ranks of a job side by side: who waits for whom, and in which process group. */
function Ranks({ ranks }: { ranks: NonNullable<Analysis['ranks']> }) {
  const most = Math.max(1, ...ranks.rows.map(r => r.made_wait_ns)), onGPU = ranks.rows.some(r => r.busy_ratio > 0)
  const columns: Column<Record<string, any>>[] = [
    { name: 'Rank', value: r => r.rank, show: r => <span title={r.path}>{r.rank}</span> }, { name: 'Step', value: r => r.step_ns, show: r => f.ns(r.step_ns) },
    ...(onGPU ? [{ name: 'GPU busy', value: (r: any) => r.busy_ratio, show: (r: any) => f.percent(r.busy_ratio), bar: (r: any) => r.busy_ratio }, { name: 'Compute', value: (r: any) => r.compute_ns, show: (r: any) => f.ns(r.compute_ns) }] : []),
    { name: 'Communication', value: r => r.communication_ns, show: r => f.ns(r.communication_ns) },
    ...(onGPU ? [{ name: 'Exposed', value: (r: any) => r.exposed_communication_ns, show: (r: any) => f.ns(r.exposed_communication_ns), title: 'while nothing was computed' }] : []),
    ...(ranks.matched ? [{ name: 'Waits', value: (r: any) => r.waited_ns, show: (r: any) => f.ns(r.waited_ns), title: 'for other ranks, in matched collectives' },
      { name: 'Makes wait', value: (r: any) => r.made_wait_ns, show: (r: any) => f.ns(r.made_wait_ns), bar: (r: any) => r.made_wait_ns / most, title: 'how long each of the others waits for it' },
      { name: 'Last', value: (r: any) => r.last_in / ranks.matched, show: (r: any) => f.percent(r.last_in / ranks.matched), title: 'share of the matched collectives in which it arrived last' }] : []),
    { name: 'Waiting for data', value: r => r.data_loading_ns, show: r => f.ns(r.data_loading_ns) },
    ...(onGPU ? [{ name: 'Bottleneck', value: (r: any) => String(r.bottleneck).replace(/_/g, ' ') }] : []),
  ]
  const rate = (v: number) => (v ? f.disk(v * 1e9) + '/s' : '')
  return <>
    {ranks.sentence && <section class="verdict"><p class="answer">{ranks.sentence}</p></section>}
    {ranks.notes?.map(n => <p>{n}</p>)}
    <section><h2>Ranks</h2>
      <p class="soft">Times are per step. {ranks.job_size && ranks.job_size > ranks.world ? `These are ${ranks.world} of ${ranks.job_size} ranks. ` : ''}{ranks.recordings > 1 ? `Each rank was recorded ${ranks.recordings} times; this is the last recording. ` : ''}The other panes are about rank {ranks.explained}.</p>
      <Table id="ranks" caption="Ranks" rows={ranks.rows} columns={columns} /></section>
    {ranks.groups && ranks.groups.length > 0 && <section><h2>By process group</h2><Table id="groups" caption="Collectives by process group" sort="Waiting" rows={ranks.groups} columns={[
      { name: 'Collective', value: g => g.collective, show: g => <code>{g.collective}</code> }, { name: 'Group', value: g => g.name + (g.ranks_seen < g.ranks ? ` (${g.ranks_seen} of ${g.ranks} ranks)` : '') }, { name: 'Count', value: g => g.count },
      { name: 'Message', value: g => g.message_bytes || undefined, show: g => f.bytes(g.message_bytes) }, { name: 'Waiting', value: g => g.wait_ns, show: g => f.ns(g.wait_ns), title: 'for the last rank, per rank and step' },
      { name: 'Transfer', value: g => g.transfer_ns, show: g => f.ns(g.transfer_ns), title: 'after the last rank had arrived, per step' }, { name: 'Exposed', value: g => g.exposed_ns, show: g => f.ns(g.exposed_ns) },
      { name: 'Algorithm', value: g => g.algorithm_gb_s || undefined, show: g => rate(g.algorithm_gb_s), title: 'message over transfer' }, { name: 'Bus', value: g => g.bus_gb_s || undefined, show: g => rate(g.bus_gb_s), title: 'load of a link, as nccl-tests counts' },
      { name: 'Last', value: g => `rank ${g.last_rank}, ${f.percent(g.last_share)}` }]} /></section>}
  </>
}

export function Communication({ a }: { a: Analysis }) {
  const c = a.communication, ranks = a.ranks
  return <><h1>Collectives and ranks</h1>
    {ranks && <Ranks ranks={ranks} />}
    {c ? <section>{ranks && <h2>Rank {ranks.explained}</h2>}<dl class="figures"><div><dt>communication</dt><dd>{f.ns(c.total_ns)}</dd></div><div><dt>hidden behind compute</dt><dd>{f.percent(c.overlap)}</dd></div><div><dt>exposed</dt><dd>{f.ns(c.exposed_ns)}</dd></div></dl>
      <section><h2>Collectives</h2><Table id="collectives" caption="Collectives" sort="Total" rows={c.collectives} columns={[
        { name: 'Collective', value: r => r.name, show: r => <code>{r.name}</code> }, { name: 'Total', value: r => r.total_ns, show: r => f.ns(r.total_ns), bar: r => r.total_ns / c.total_ns },
        { name: 'Count', value: r => r.count }, { name: 'Shortest', value: r => r.min_ns, show: r => f.ns(r.min_ns) }, { name: 'Elements', value: r => r.elements, show: r => f.count(r.elements) }, { name: 'Type', value: r => r.dtype ?? '' }, { name: 'Ranks', value: r => r.group_size }]} /></section></section>
      : !ranks && <p>This trace shows no collectives: one GPU works alone. Open the folder with the traces of all ranks to compare them.</p>}</>
}
