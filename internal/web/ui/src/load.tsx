import { h, Fragment } from 'preact'
import { useEffect, useState } from 'hooks'
import { get, Progress, Refused } from './api'
import * as f from './format'

const kept = new Map<string, unknown>() // what was asked for already; a trace does not change under its id

/** useData asks the server for a path and returns what there is of it, or the words to show instead. */
export function useData<T>(path: string, keep = false): { data?: T; instead?: any; again: () => void } {
  const [state, set] = useState<{ path?: string; data?: T; error?: Error; progress?: Progress }>({})
  const [turn, next] = useState(0)
  useEffect(() => {
    if (kept.has(path)) { set({ path, data: kept.get(path) as T }); return }
    const abort = new AbortController()
    set(s => (s.path === path ? s : { path }))
    get<T>(path, progress => set({ path, progress }), abort.signal).then(
      data => { if (keep) kept.set(path, data); set({ path, data }) },
      error => { if (!abort.signal.aborted) set({ path, error }) })
    return () => abort.abort()
  }, [path, turn])
  const again = () => next(n => n + 1)
  if (state.path !== path) return { instead: <Wait />, again }
  if (state.error) return { instead: <Problem error={state.error} />, again }
  if (state.data === undefined) return { instead: <Wait progress={state.progress} />, again }
  return { data: state.data, again }
}

const phases: Record<string, string> = { waiting: 'Waiting for another trace', reading: 'Reading the trace', analyzing: 'Analyzing', drawing: 'Preparing the timeline', comparing: 'Reading both traces', scanning: 'Reading the code' }

export function Wait({ progress }: { progress?: Progress }) {
  if (!progress) return <p class="wait" role="status">Loading…</p>
  const part = progress.phase === 'reading' && progress.total ? progress.done / progress.total : undefined
  return <div class="wait" role="status">
    <p>{phases[progress.phase] ?? progress.phase}{part !== undefined && <> · {f.disk(progress.done)} of {f.disk(progress.total)}</>}</p>
    <progress value={part} max={1} aria-label={phases[progress.phase]} />
    {progress.phase !== 'scanning' && <p class="soft">A trace is read once. The next time, it opens at once.</p>}
  </div>
}

export function Problem({ error }: { error: Error }) {
  if (error instanceof Refused) {
    return <section class="problem" role="alert"><h1>This browser has no session</h1>
      <p>Each link of <code>saturate serve</code> opens one browser. The terminal shows a new link after each use: open that one.</p></section>
  }
  return <section class="problem" role="alert"><h1>Cannot show this</h1><p>{error.message}</p><p><a href="/">All runs and traces</a></p></section>
}
