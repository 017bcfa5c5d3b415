import { h, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'hooks'
import { get } from './api'
import { useData } from './load'
import { usePlace, setQuery } from './route'
import { typing } from './keys'
import { Detail, Found, Selected, EventDetail, Selection, FoundName } from './drawer'
import { causes } from './palette'
import { View, Outline, Placed } from './view'
import * as f from './format'
import type { Analysis } from './types'

/** Timeline draws a trace. What it shows is in the address: from, to, event, select, find. */
export function Timeline({ id, a }: { id: string; a: Analysis }) {
  const { data, instead } = useData<Outline>('trace/' + id + '/outline', true)
  if (!data) return instead
  return <Drawing id={id} a={a} outline={data} />
}

function Drawing({ id, a, outline }: { id: string; a: Analysis; outline: Outline }) {
  const { query } = usePlace()
  const box = useRef<HTMLDivElement>(null), gl = useRef<HTMLCanvasElement>(null), over = useRef<HTMLCanvasElement>(null)
  const view = useRef<View>()
  const [labels, setLabels] = useState<{ placed: Placed[]; scroll: number }>({ placed: [], scroll: 0 })
  const [tip, setTip] = useState<{ x: number; y: number; text: string }>()
  const [event, setEvent] = useState<EventDetail>()
  const [range, setRange] = useState<Selection>()
  const [found, setFound] = useState<{ hits: FoundName[]; total: number }>()
  const [problem, setProblem] = useState('')

  useEffect(() => {
    let wait = 0
    const asked = new Set<number>()
    let v: View
    try {
      v = new View(id, outline, gl.current!, over.current!, ids => {
        const fresh = ids.filter(i => !asked.has(i))
        if (!fresh.length) return
        fresh.forEach(i => asked.add(i))
        get<Record<string, string>>('trace/' + id + '/names?q=' + fresh.join(',')).then(names => {
          for (const [k, n] of Object.entries(names)) v.names.set(Number(k), n)
          v.later()
        })
      }, v => {
        setLabels(l => (l.placed === v.placed && l.scroll === v.scroll ? l : { placed: v.placed, scroll: v.scroll }))
        clearTimeout(wait)
        wait = window.setTimeout(() => setQuery({ from: String(Math.round(v.from)), to: String(Math.round(v.to)) }), 250)
      })
    } catch (e) { setProblem((e as Error).message); return }
    view.current = v
    ;(window as any).saturateTimeline = v
    const fit = () => v.resize(box.current!.clientWidth, box.current!.clientHeight)
    const watch = new ResizeObserver(fit)
    watch.observe(box.current!)
    fit()
    const q = new URLSearchParams(location.search)
    if (q.has('from')) v.show(Number(q.get('from')), Number(q.get('to')))
    if (q.has('event')) pick(Number(q.get('event')), !q.has('from'))
    if (q.has('select')) select(...(q.get('select')!.split('-').map(Number) as [number, number]))
    if (q.has('find')) search(q.get('find')!, true)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const repaint = () => v.later()
    scheme.addEventListener('change', repaint)
    return () => { watch.disconnect(); clearTimeout(wait); scheme.removeEventListener('change', repaint); v.close() }
  }, [])

  const pick = (event: number, reveal = false) => get<EventDetail>('trace/' + id + '/event/' + event).then(e => {
    const v = view.current!
    v.selected = e
    v.linked = e.launch ?? e.started
    v.range = undefined
    reveal ? v.reveal(e) : v.later()
    setEvent(e)
    setRange(undefined)
    setQuery({ event: String(event), select: null })
  })
  const select = (from: number, to: number) => {
    view.current!.range = [from, to]
    view.current!.later()
    setQuery({ select: Math.round(from) + '-' + Math.round(to), event: null })
    get<Selection>(`trace/${id}/select?from=${Math.round(from)}&to=${Math.round(to)}`).then(s => { setRange(s); setEvent(undefined) })
  }
  const search = (text: string, jump = false) => {
    setQuery({ find: text })
    if (!text) { view.current!.find = 0; view.current!.later(); setFound(undefined); return }
    get<{ hits: FoundName[]; total: number }>('trace/' + id + '/find?q=' + encodeURIComponent(text)).then(r => {
      setFound(r)
      const exact = r.hits.find(x => x.name === text) ?? r.hits[0]
      if (exact) { view.current!.find = exact.number; view.current!.later(); if (jump && !new URLSearchParams(location.search).has('event')) pick(exact.longest, true) }
    })
  }
  const soon = useRef(0)
  const seek = (text: string) => { // while somebody types: what there is; Enter goes there
    view.current!.range = view.current!.selected = view.current!.linked = undefined
    setEvent(undefined); setRange(undefined)
    setQuery({ find: text, event: null, select: null })
    clearTimeout(soon.current)
    soon.current = window.setTimeout(() => search(text), 250)
  }
  const clear = () => {
    const v = view.current!
    v.selected = v.linked = v.range = undefined
    v.find = 0
    v.later()
    setEvent(undefined); setRange(undefined); setFound(undefined)
    setQuery({ event: null, select: null, find: null })
  }

  useEffect(() => { // keys
    const held = new Set<string>()
    let at = 0, frame = 0
    const move = (now: number) => {
      const v = view.current!, dt = Math.min(50, now - at) / 1000, fast = held.has('Shift') ? 4 : 1
      at = now
      const x = v.cursor?.[0]
      if (held.has('KeyW')) v.zoom(Math.pow(0.12, dt * fast), x)
      if (held.has('KeyS')) v.zoom(Math.pow(8, dt * fast), x)
      if (held.has('KeyA') || held.has('ArrowLeft')) v.pan(-0.9 * dt * fast)
      if (held.has('KeyD') || held.has('ArrowRight')) v.pan(0.9 * dt * fast)
      if (held.has('ArrowUp')) v.scrollBy(-600 * dt)
      if (held.has('ArrowDown')) v.scrollBy(600 * dt)
      frame = [...held].some(k => k !== 'Shift') ? requestAnimationFrame(move) : 0
    }
    const next = (list: { start_ns: number; end_ns: number }[], way: number) => {
      const v = view.current!, mid = (v.from + v.to) / 2
      const sorted = list.slice().sort((x, y) => x.start_ns - y.start_ns)
      const centers = sorted.map(s => (s.start_ns + s.end_ns) / 2)
      const i = way > 0 ? centers.findIndex(c => c > mid + 1) : centers.findLastIndex(c => c < mid - 1)
      if (i >= 0) { const s = sorted[i], pad = (s.end_ns - s.start_ns) * 0.1; v.show(s.start_ns - pad, s.end_ns + pad) }
    }
    const down = (e: KeyboardEvent) => {
      if (e.key === 'Shift') held.add('Shift')
      if (typing(e) || document.querySelector('dialog[open]')) return
      const v = view.current
      if (!v) return
      if (/^(KeyW|KeyA|KeyS|KeyD|Arrow\w+)$/.test(e.code)) {
        if (e.code.startsWith('Arrow') && e.target !== over.current) return
        e.preventDefault()
        held.add(e.code)
        if (!frame) { at = performance.now() - 16; frame = requestAnimationFrame(move) }
      } else if (e.code === 'KeyF') {
        const r = v.range ?? (v.selected && [v.selected.start_ns, v.selected.start_ns + v.selected.dur_ns] as [number, number])
        const there = r && Math.abs(v.from - (r[0] - (r[1] - r[0]) * 0.05)) < v.perPixel * 4
        r && !there ? v.show(r[0] - (r[1] - r[0]) * 0.05, r[1] + (r[1] - r[0]) * 0.05) : v.show(0, outline.span_ns)
      } else if (e.code === 'KeyM' && v.selected) select(v.selected.start_ns, v.selected.start_ns + Math.max(1, v.selected.dur_ns))
      else if (e.key === '[' || e.key === ']') next(a.steps, e.key === ']' ? 1 : -1)
      else if (e.key === '{' || e.key === '}') next(a.gpus.flatMap(g => g.longest_gaps), e.key === '}' ? 1 : -1)
      else if (e.key === 'Escape') clear()
    }
    const up = (e: KeyboardEvent) => { held.delete(e.code); if (e.key === 'Shift') held.delete('Shift') }
    const blur = () => held.clear()
    addEventListener('keydown', down); addEventListener('keyup', up); addEventListener('blur', blur)
    return () => { removeEventListener('keydown', down); removeEventListener('keyup', up); removeEventListener('blur', blur); cancelAnimationFrame(frame) }
  }, [])

  const start = useRef<{ x: number; y: number; from: number; to: number; scroll: number; pan: boolean; moved: boolean }>()
  const where = (e: MouseEvent) => { const r = over.current!.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top] as [number, number] }
  const mouse = {
    onPointerDown: (e: PointerEvent) => {
      const v = view.current!, [x, y] = where(e)
      over.current!.setPointerCapture(e.pointerId)
      start.current = { x, y, from: v.from, to: v.to, scroll: v.scroll, pan: e.shiftKey || e.button === 1 || e.pointerType === 'touch', moved: false }
    },
    onPointerMove: (e: PointerEvent) => {
      const v = view.current
      if (!v) return
      const [x, y] = where(e), s = start.current
      v.cursor = [x, y]
      if (s && (s.moved || Math.abs(x - s.x) + Math.abs(y - s.y) > 4)) {
        s.moved = true
        setTip(undefined)
        if (s.pan) { const d = ((s.x - x) * (s.to - s.from)) / v.width; v.scroll = Math.max(0, s.scroll + s.y - y); v.scrollBy(0); v.show(s.from + d, s.to + d) }
        else { v.range = [Math.min(v.time(s.x), v.time(x)), Math.max(v.time(s.x), v.time(x))]; v.later() }
        return
      }
      const hit = v.hit(x, y)
      if (!hit) setTip(undefined)
      else {
        const name = v.names.get(hit.name)
        if (name === undefined) get<Record<string, string>>('trace/' + id + '/names?q=' + hit.name).then(n => v.names.set(hit.name, n[hit.name]))
        setTip({ x, y, text: hit.count > 1 ? `${f.count(hit.count)} events, ${f.percent(hit.busy)} busy; the longest: ${name ?? ''}` : `${name ?? ''} · ${f.ns(hit.to - hit.from)}` })
      }
      v.later()
    },
    onPointerUp: (e: PointerEvent) => {
      const v = view.current!, [x, y] = where(e), s = start.current
      start.current = undefined
      if (!s) return
      if (s.moved) { if (!s.pan && v.range) { v.selected = v.linked = undefined; select(v.range[0], v.range[1]) } return }
      const hit = v.hit(x, y)
      hit ? pick(hit.event) : clear()
    },
    onPointerLeave: () => { setTip(undefined); if (view.current) { view.current.cursor = undefined; view.current.later() } },
  }
  useEffect(() => {
    const wheel = (e: WheelEvent) => {
      e.preventDefault()
      const v = view.current!, [x] = where(e)
      if (e.ctrlKey || e.metaKey) v.zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.008), x)
      else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) v.pan((e.deltaX || e.deltaY) / v.width)
      else v.scrollBy(e.deltaY)
    }
    over.current?.addEventListener('wheel', wheel, { passive: false })
    return () => over.current?.removeEventListener('wheel', wheel)
  }, [])
  const toggle = (p: Placed) => { const v = view.current!; v.open.has(p.g.number) ? v.open.delete(p.g.number) : v.open.add(p.g.number); v.layout(); v.later() }

  const seen = causes.filter(c => a.gpus.some(g => g.idle_by_cause.some(i => i.cause === c.cause)))
  if (problem) return <section class="problem" role="alert"><h1>Cannot draw the timeline</h1><p>{problem}</p></section>
  return <div class="timeline">
    <div class="tools bar"><h1>Timeline</h1>
      <label class="filter"><span class="sr">Find names</span><input type="search" placeholder="Find  /" value={query.get('find') ?? ''} onInput={e => seek((e.target as HTMLInputElement).value)} onChange={e => { clearTimeout(soon.current); search((e.target as HTMLInputElement).value, true) }} /></label>
      <span class="zoom"><button type="button" onClick={() => view.current!.zoom(0.5)} aria-label="Zoom in">+</button><button type="button" onClick={() => view.current!.zoom(2)} aria-label="Zoom out">−</button>
        <button type="button" onClick={() => view.current!.show(0, outline.span_ns)}>All</button></span>
      <span class="soft where">{f.ns(Number(query.get('to') ?? outline.span_ns) - Number(query.get('from') ?? 0))} of {f.ns(outline.span_ns)} · {f.count(outline.events)} events</span></div>
    {seen.length > 0 && <ul class="legend causes" aria-label="Causes of idle time">{seen.map(c => <li><span class="key" style={{ background: c.color }} />{c.words}</li>)}</ul>}
    <div class="drawing">
      <div class="tracks" aria-hidden="false">{labels.placed.map(p => <div class="track" style={{ top: p.top - labels.scroll + 'px', height: p.height + 'px' }} title={p.g.name + ', ' + f.plural(p.g.events, 'event')}>
        {p.g.lanes > 6 ? <button type="button" onClick={() => toggle(p)} aria-expanded={p.lanes === p.g.lanes}>{p.lanes === p.g.lanes ? '▾ ' : '▸ '}{p.g.name}</button> : <span>{p.g.name}</span>}</div>)}</div>
      <div class="canvas" ref={box}><canvas ref={gl} aria-hidden="true" /><canvas ref={over} tabIndex={0} role="img" aria-label="Timeline. W and S zoom, A and D pan, brackets go from step to step. The tables of the other panes show the same events." {...mouse} />
        {tip && <div class="tip" role="presentation" style={{ left: Math.min(tip.x + 12, Math.max(0, (box.current?.clientWidth ?? 0) - 330)) + 'px', top: tip.y + 14 + 'px' }}>{tip.text}</div>}</div>
    </div>
    {(event || range || found) && <div class="drawer" role="region" aria-label="Selection" tabIndex={0}><button type="button" class="quiet close" onClick={clear} aria-label="Close">×</button>
      {event && <Detail e={event} pick={x => pick(x, true)} />}
      {range && <Selected s={range} pick={x => pick(x, true)} />}
      {!event && !range && found && <Found found={found} pick={x => pick(x, true)} />}</div>}
  </div>
}
