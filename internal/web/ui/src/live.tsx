// What happens now: commands at work, what they have tried, and what the GPUs do.
import { h, Fragment } from 'preact'
import { useEffect, useMemo, useState } from 'hooks'
import { stream } from './api'
import { Plot } from './plot'
import * as f from './format'

/** useLive calls on for each event of a stream until the page changes. */
export function useLive(path: string, on: (event: string, data: any) => void, again: any[] = []) {
  useEffect(() => {
    const abort = new AbortController()
    stream(path, on, abort.signal)
    return () => abort.abort()
  }, [path, ...again])
}

/** usePresence tells the server that the page is open, where it follows nothing. */
export const usePresence = () => useLive('live?run=-', () => {})

export interface GPUNow { index: number; name: string; busy: number; used_bytes: number; total_bytes: number; watts: number }
interface Moment { at: number; gpus: GPUNow[] }
const MINUTES = 10

/** useGPUs keeps what the GPUs did in the last minutes. */
export function useGPUs(): [Moment[], (gpus: GPUNow[]) => void] {
  const [past, set] = useState<Moment[]>([])
  return [past, gpus => set(p => { const at = Date.now(); return p.filter(m => at - m.at < MINUTES * 60e3).concat({ at, gpus }) })]
}

/** GPUs shows how busy the GPUs of this machine are, and their memory. */
export function GPUs({ past }: { past: Moment[] }) {
  const now = past[past.length - 1]?.gpus ?? []
  const [x, busy, memory] = useMemo(() => {
    const line = (value: (g: GPUNow) => number) => now.slice(0, 8).map((g, i) => ({ name: 'GPU ' + g.index, color: '--plot-' + (i % 7 + 1), values: past.map(m => { const o = m.gpus.find(o => o.index === g.index); return o ? value(o) : null }) }))
    return [past.map(m => (m.at - past[past.length - 1].at) / 1000), line(g => g.busy), line(g => g.used_bytes)]
  }, [past])
  if (!now.length) return null
  const ago = (v: number) => (v === 0 ? 'now' : f.count(-v) + ' s ago')
  return <section class="gpus"><h2>GPUs of this machine</h2>
    <ul class="meters">{now.map(g => <li><strong>GPU {g.index}</strong> <span class="soft">{g.name}{g.watts > 0 && ', ' + f.count(g.watts) + ' W'}</span>
      <label>busy {f.percent(g.busy)}<meter min={0} max={1} value={g.busy} /></label>
      <label>memory {f.bytes(g.used_bytes)} of {f.bytes(g.total_bytes)}<meter min={0} max={g.total_bytes} value={g.used_bytes} /></label></li>)}</ul>
    {past.length > 1 && <div class="two"><div><h3>Busy</h3><Plot label="GPU busy over the last minutes" x={x} lines={busy} height={150} whole xText={ago} yText={f.percent} /></div>
      <div><h3>Memory</h3><Plot label="GPU memory over the last minutes" x={x} lines={memory} height={150} whole xText={ago} yText={f.bytes} /></div></div>}
  </section>
}

interface Task { task: number; label: string; unit: string; done: number; total?: number; note?: string; s: number; ended?: boolean }
interface Result { name: string; outcome?: string; why?: string; before_s?: number; after_s?: number }
export interface Job { command: string; pid: number; tasks: Task[]; results: Result[]; over?: boolean }

/** merge keeps a command that has ended on the page, with what it has found. */
export const merge = (old: Job[], now: Job[]): Job[] => [
  ...now, ...old.filter(o => o.results.length > 0 && !now.some(n => n.pid === o.pid)).map(o => ({ ...o, over: true })),
]

/** Jobs are the commands at work: what they have done, what they have tried, and how far they are. */
export function Jobs({ jobs }: { jobs: Job[] }) {
  return <section class="jobs"><h2>{jobs.some(j => !j.over) ? 'Running now' : 'Ended'}</h2>{jobs.map(j => <article class="job">
    <h3>saturate {j.command} <span class={'state' + (j.over ? '' : ' running')}>{j.over ? 'ended' : 'process ' + j.pid}</span></h3>
    {j.results.length > 0 && <Ladder results={j.results} />}
    <ol>{j.tasks.filter(t => !j.over && (!t.ended || !j.results.length)).slice(-12).map(t => <li class={t.ended ? 'soft' : ''}><span>{t.ended ? '✓ ' : ''}{t.label}</span><span>{amount(t)}</span>
      {!t.ended && <progress value={t.total ? t.done : undefined} max={t.total || 1} aria-label={t.label} />}</li>)}</ol></article>)}</section>
}

function amount(t: Task): string {
  const count = t.unit === 'B' ? f.disk : f.count
  const rate = t.done > 0 && t.s > 0.5 && t.unit !== 'runs' ? ', ' + (t.unit === 'B' ? f.disk(t.done / t.s) + '/s' : f.three(t.done / t.s) + ' ' + t.unit + '/s') : ''
  return count(t.done) + (t.total ? ' of ' + count(t.total) : '') + (t.unit === 'B' ? '' : ' ' + t.unit) + rate + (t.note ? ', ' + t.note : '')
}

/** Ladder is what was tried, in order: the bar is the time of a step after it, beside the slowest. */
function Ladder({ results }: { results: Result[] }) {
  const most = Math.max(1e-12, ...results.flatMap(r => [r.before_s ?? 0, r.after_s ?? 0]))
  const timed = results.some(r => r.after_s)
  return <ol class="ladder">{results.map(r => <li class={r.outcome === 'kept' ? 'kept' : ''}>
    {timed && <span class="rung" aria-hidden="true"><span style={{ width: (100 * (r.after_s ?? 0)) / most + '%' }} /></span>}
    <span class="tried"><strong>{r.name}</strong> {r.outcome && <span class={'state ' + r.outcome}>{r.outcome}</span>} {r.before_s && r.after_s ? <span>{f.seconds(r.before_s)} → {f.seconds(r.after_s)}</span> : null} <span class="soft">{r.why}</span></span></li>)}</ol>
}
