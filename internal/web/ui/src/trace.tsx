import { h, Fragment } from 'preact'
import { useEffect, useRef } from 'hooks'
import { useData } from './load'
import { Findings } from './report'
import { Overview } from './overview'
import { Steps, Kernels, Copies, Communication } from './panes'
import { Operators } from './operators'
import { Memory } from './memory'
import { Timeline } from './timeline'
import { usePresence } from './live'
import type { Analysis } from './types'

/** TracePage is one trace, a pane at a time. */
export function TracePage({ id, pane }: { id: string; pane: string }) {
  usePresence()
  const { data, instead } = useData<Analysis>('trace/' + id, true)
  useEffect(() => { document.title = pane + ' · ' + (data?.trace.path ?? 'trace') + ' · saturate' }, [data, pane])
  if (!data) return <main id="main" class="page">{instead}</main>
  const panes: [string, string, any?][] = [
    ['overview', 'Overview'], ['timeline', 'Timeline'], ['steps', 'Steps', data.steps.length], ['kernels', 'Kernels', data.kernels.length], ['operators', 'Operators', data.operators.length],
    ['copies', 'Copies', data.transfers.length], ['communication', 'Ranks'], ['memory', 'Memory'], ['findings', 'Findings', data.shown_findings.length],
  ]
  let body
  if (pane === 'timeline') body = <Timeline id={id} a={data} />
  else if (pane === 'steps') body = <Steps id={id} a={data} />
  else if (pane === 'kernels') body = <Kernels id={id} a={data} />
  else if (pane === 'operators') body = <Operators id={id} a={data} />
  else if (pane === 'copies') body = <Copies a={data} />
  else if (pane === 'communication') body = <Communication a={data} />
  else if (pane === 'memory') body = <Memory id={id} a={data} />
  else if (pane === 'findings') body = <><h1>Findings</h1><Findings list={data.shown_findings} trace={id} /></>
  else body = <Overview id={id} a={data} />
  return <div class="with-panes">
    <Panes base={'/trace/' + id} pane={pane} list={panes} name={data.ranks ? `Rank ${data.ranks.explained} of ${data.ranks.rows.length}, ${data.trace.path}` : data.trace.path} />
    <main id="main" class={pane === 'timeline' ? 'full' : 'page'}>{body}</main>
  </div>
}

/** Panes leads to the panes of a trace or Run, and to other pages, whose keys are addresses. */
export function Panes({ base, pane, list, name, children }: { base: string; pane: string; list: [string, string, any?][]; name: string; children?: any }) {
  const tabs = useRef<HTMLUListElement>(null)
  useEffect(() => { // where the panes are a row, the chosen one may lie beside the window
    const row = tabs.current, at = row?.querySelector<HTMLElement>('[aria-current]')
    if (row && at && row.scrollWidth > row.clientWidth) row.scrollLeft = at.offsetLeft - (row.clientWidth - at.offsetWidth) / 2
  }, [pane])
  return <nav class="panes" aria-label="Panes"><p class="what" title={name}>{name}{children}</p>
    <ul ref={tabs}>{list.map(([key, label, n]) => <li><a href={key.startsWith('/') ? key : base + (key === 'overview' ? '' : '/' + key)} aria-current={pane === key ? 'page' : undefined}>{label}{n !== undefined && n !== '' && <span class="n">{n}</span>}</a></li>)}</ul></nav>
}
