import { h, Fragment } from 'preact'
import { useMemo, useState } from 'hooks'
import { usePlace, setQuery } from './route'
import * as f from './format'
import type { Flame } from './types'

interface Box { node: Flame; depth: number; x: number; w: number; path: string }

/** FlameGraph shows calls from the top down, as wide as the time they were seen for. The zoom is in the address. */
export function FlameGraph({ root }: { root: Flame }) {
  const { query } = usePlace()
  const [word, setWord] = useState('')
  const zoom = query.get('frame') ?? ''
  const top = useMemo(() => {
    let n = root
    for (const i of zoom.split('.').filter(Boolean)) n = n.calls?.[Number(i)] ?? n
    return n
  }, [root, zoom])
  const boxes = useMemo(() => {
    const out: Box[] = []
    const walk = (node: Flame, depth: number, x: number, w: number, path: string) => {
      if (w < 0.0008 || depth > 60) return
      out.push({ node, depth, x, w, path })
      let at = x
      node.calls?.forEach((c, i) => { const cw = (w * c.s) / node.s; walk(c, depth + 1, at, cw, path ? path + '.' + i : String(i)); at += cw })
    }
    walk(top, 0, 0, 1, zoom)
    return out
  }, [top])
  const depth = Math.max(...boxes.map(b => b.depth)) + 1
  const match = (b: Box) => word && (b.node.name + ' ' + (b.node.path ?? '')).toLowerCase().includes(word.toLowerCase())
  const found = boxes.filter(match).reduce((t, b) => t + b.w, 0)
  return <div class="flame">
    <div class="tools"><label class="filter"><span class="sr">Search frames</span><input type="search" placeholder="Search frames" onInput={e => setWord((e.target as HTMLInputElement).value)} /></label>
      {zoom && <button type="button" onClick={() => setQuery({ frame: null })}>Zoom out</button>}{word && <span class="soft">{f.percent(Math.min(1, found))} of the time, callers and callees both counted</span>}</div>
    <div class="frames" style={{ height: depth * 24 + 'px' }}>{boxes.map(b => <button type="button" class={'frame ' + (b.node.library ? 'lib' : 'own') + (match(b) ? ' hit' : '')}
      style={{ left: b.x * 100 + '%', width: `max(1px, calc(${b.w * 100}% - 1px))`, top: b.depth * 24 + 'px' }} title={`${b.node.name}\n${b.node.path ?? ''}${b.node.line ? ':' + b.node.line : ''}\n${f.seconds(b.node.s)}, ${f.percent(b.node.s / root.s)} of all`}
      onClick={() => setQuery({ frame: b.path })}>{b.w > 0.03 ? b.node.name : ''}<span class="sr">{b.w > 0.03 ? '' : b.node.name} {f.percent(b.node.s / root.s)}</span></button>)}</div>
    <ul class="legend soft"><li><span class="key own" />your code</li><li><span class="key lib" />libraries</li></ul>
  </div>
}
