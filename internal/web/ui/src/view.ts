// The timeline's canvas: what is in sight, where it is drawn, and what lies under the pointer.
import { Painter, RECT, type Drawn, type Part } from './gl'
import { Tiles, BUCKETS } from './tiles'
import { palette, inks } from './palette'
import * as f from './format'

export interface OutlineGroup { number: number; name: string; sort: string; device: number; lanes: number; events: number; busy_ns: number }
export interface Outline { span_ns: number; events: number; top: number; groups: OutlineGroup[] }
export interface Brief { id: number; name: string; kind: string; start_ns: number; dur_ns: number; group: number; lane: number }
export interface Hit { event: number; name: number; count: number; busy: number; color: number; from: number; to: number; group: OutlineGroup; exact: boolean }
export interface Placed { g: OutlineGroup; top: number; lanes: number; lane: number; height: number }

const RULER = 26, GAP = 9, FEW = 6

export class View {
  from = 0
  to: number
  scroll = 0
  width = 1
  height = 1
  find = 0
  open = new Set<number>()
  placed: Placed[] = []
  selected?: Brief
  linked?: Brief
  range?: [number, number]
  cursor?: [number, number]
  names = new Map<number, string>()
  frames: number[] = [] // ms each
  private queued = false
  private tiles: Tiles
  private painter: Painter
  private text: CanvasRenderingContext2D
  private level = 0
  private groups = new Map<number, { key: string; drawn: Drawn }>() // what was uploaded, and of which tiles
  private sight = ''
  private drawnPlaced?: Placed[]

  constructor(private trace: string, public outline: Outline, gl: HTMLCanvasElement, private over: HTMLCanvasElement,
    private needNames: (ids: number[]) => void, private drawn: (v: View) => void) {
    this.to = outline.span_ns
    this.painter = new Painter(gl)
    this.tiles = new Tiles(trace, () => this.later())
    this.text = over.getContext('2d')!
    this.layout()
  }

  layout() {
    let y = RULER
    this.placed = this.outline.groups.filter(g => g.events > 0).map(g => {
      const lane = g.sort === 'host' || g.sort === 'frame' || g.sort === 'ranges' ? 14 : 18
      const lanes = this.open.has(g.number) ? g.lanes : Math.min(g.lanes, g.sort === 'host' ? FEW : FEW)
      const p = { g, top: y, lanes, lane, height: lanes * lane }
      y += Math.max(p.height, 16) + GAP
      return p
    })
    this.full = y
  }
  full = 0

  get perPixel() { return (this.to - this.from) / this.width }
  x(ns: number) { return (ns - this.from) / this.perPixel }
  time(x: number) { return this.from + x * this.perPixel }

  /** show moves to a part of the trace, kept within it and no finer than a nanosecond a pixel. */
  show(from: number, to: number) {
    const span = Math.min(Math.max(to - from, this.width / 4, 50), this.outline.span_ns * 1.05)
    const mid = (from + to) / 2
    const pad = this.outline.span_ns * 0.025
    from = Math.max(-pad, Math.min(mid - span / 2, this.outline.span_ns + pad - span))
    this.from = from
    this.to = from + span
    this.later()
  }
  zoom(factor: number, x = this.width / 2) {
    const at = this.time(x), span = (this.to - this.from) * factor
    this.show(at - (x / this.width) * span, at - (x / this.width) * span + span)
  }
  pan(part: number) { const d = (this.to - this.from) * part; this.show(this.from + d, this.to + d) }
  scrollBy(dy: number) { this.scroll = Math.max(0, Math.min(this.scroll + dy, this.full - this.height + 20)); this.later() }

  resize(width: number, height: number) {
    const scale = devicePixelRatio || 1
    this.width = width
    this.height = height
    for (const c of [this.painter.canvas, this.over]) { c.width = Math.round(width * scale); c.height = Math.round(height * scale); c.style.width = width + 'px'; c.style.height = height + 'px' }
    this.scrollBy(0)
  }

  later() {
    if (this.queued) return
    this.queued = true
    requestAnimationFrame(() => { this.queued = false; const t = performance.now(); this.draw(); this.frames.push(performance.now() - t); if (this.frames.length > 600) this.frames.shift() })
  }

  private visible() { return this.placed.filter(p => p.top - this.scroll < this.height && p.top + p.height - this.scroll > RULER) }

  /** span is the tiles of a level that are in sight. */
  private span(level: number): [number, number] {
    const length = BUCKETS * 2 ** level
    return [Math.max(0, Math.floor(this.from / length)), Math.max(0, Math.floor(Math.min(this.to, this.outline.span_ns) / length))]
  }

  draw() {
    const level = this.level = Math.max(0, Math.min(this.outline.top, Math.ceil(Math.log2(this.perPixel))))
    const sight = [this.from, this.to, this.scroll, this.width, this.height, devicePixelRatio, this.find, this.tiles.arrivals].join(' ')
    if (sight !== this.sight || this.placed !== this.drawnPlaced) this.rectangles(level) // else only the pointer moved
    this.sight = sight
    this.drawnPlaced = this.placed
    this.overlay()
    this.over.dataset.from = String(Math.round(this.from))
    this.over.dataset.to = String(Math.round(this.to))
    this.over.dataset.pending = String(this.tiles.pending)
    this.over.dataset.draws = String(this.painter.draws)
    this.drawn(this)
  }

  private rectangles(level: number) {
    const [first, last] = this.span(level)
    const p = this.painter, want: string[] = []
    p.begin(this.width, this.height, palette, this.find, this.x(first * BUCKETS * 2 ** level), 2 ** level / this.perPixel)
    for (const at of this.visible()) {
      const parts: Part[] = []
      let key = level + ' ' + at.lanes + ' ' + first
      for (let i = first; i <= last; i++) {
        const from = (i - first) * BUCKETS, to = from + BUCKETS
        const tile = this.tiles.get(at.g.number, level, i)
        if (tile) {
          parts.push({ data: tile.data, at: from, scale: 1, from, to })
          key += ' ' + i
          continue
        }
        want.push(at.g.number + '.' + level + '.' + i)
        for (let up = level + 1; up <= this.outline.top; up++) { // a coarser tile is stretched until the fine one comes
          const k = Math.floor(i / 2 ** (up - level))
          const coarse = this.tiles.get(at.g.number, up, k)
          if (!coarse) continue
          const scale = 2 ** (up - level)
          parts.push({ data: coarse.data, at: (k * scale - first) * BUCKETS, scale, from, to })
          key += ' ' + i + '^' + up
          break
        }
      }
      let group = this.groups.get(at.g.number)
      if (group?.key !== key) {
        if (group) p.free(group.drawn)
        this.groups.set(at.g.number, group = { key, drawn: p.upload(parts, at.lanes) })
      }
      p.group(group.drawn, at.top - this.scroll, at.lane)
    }
    this.tiles.want(want)
  }

  /** each calls f for the rectangles in sight. */
  private each(at: Placed, fn: (h: Hit, lane: number, x0: number, x1: number) => boolean | void) {
    const [first, last] = this.span(this.level)
    const bucket = 2 ** this.level
    for (let i = first; i <= last; i++) {
      const t = this.tiles.get(at.g.number, this.level, i)
      if (!t) continue
      const v = new DataView(t.data)
      const start = i * BUCKETS * bucket
      for (let o = 0; o < t.data.byteLength; o += RECT) {
        const from = start + v.getFloat32(o, true) * bucket, to = start + v.getFloat32(o + 4, true) * bucket
        if (to < this.from || from > this.to) continue
        const lane = v.getUint8(o + 20)
        if (lane >= at.lanes) continue
        const busy = v.getUint8(o + 21)
        if (fn({ name: v.getUint32(o + 8, true), event: v.getUint32(o + 12, true), count: v.getUint32(o + 16, true), busy: busy / 255, exact: busy === 255, color: v.getUint8(o + 22), from, to, group: at.g }, lane, this.x(from), this.x(to))) return
      }
    }
  }

  hit(x: number, y: number): Hit | undefined {
    const at = this.visible().find(p => y + this.scroll >= p.top && y + this.scroll < p.top + p.height)
    if (!at || y < RULER) return
    const lane = Math.floor((y + this.scroll - at.top) / at.lane)
    let best: Hit | undefined
    this.each(at, (h, l, x0, x1) => { if (l === lane && x >= x0 - 1 && x <= Math.max(x1, x0 + 1) + 1 && (!best || h.count > 0)) { best = h; if (x >= x0 && x <= x1) return true } })
    return best
  }

  private overlay() {
    const c = this.text, scale = devicePixelRatio || 1
    const style = getComputedStyle(document.documentElement)
    const ink = style.getPropertyValue('--ink'), soft = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line'), page = style.getPropertyValue('--page'), accent = style.getPropertyValue('--accent')
    c.setTransform(scale, 0, 0, scale, 0, 0)
    c.clearRect(0, 0, this.width, this.height)
    c.font = '11px system-ui, sans-serif'
    c.textBaseline = 'middle'
    const missing = new Set<number>()
    for (const at of this.visible()) {
      const ends = new Float64Array(at.lanes).fill(-1), last = new Float64Array(at.lanes).fill(-1)
      this.each(at, (h, lane, x0, x1) => {
        const left = Math.max(0, x0), room = Math.min(this.width, x1) - left
        if (room < 34 || h.count !== 1 || !h.exact || left < ends[lane] || last[lane] === h.event || (this.find && h.name !== this.find)) return
        last[lane] = h.event
        ends[lane] = Math.min(this.width, x1)
        const name = this.names.get(h.name)
        if (name === undefined) { missing.add(h.name); return }
        const most = Math.floor((room - 8) / 6)
        const y = at.top - this.scroll + lane * at.lane + (at.lane - 1) / 2
        c.fillStyle = inks[h.color] ?? '#fff'
        if (y > RULER) c.fillText(name.length > most ? name.slice(0, Math.max(1, most - 1)) + '…' : name, left + 4, y + 0.5)
      })
    }
    if (missing.size) this.needNames([...missing].slice(0, 400))
    if (this.range) {
      const [a, b] = [this.x(this.range[0]), this.x(this.range[1])]
      c.fillStyle = accent + '26'
      c.fillRect(a, 0, b - a, this.height)
      c.fillStyle = accent
      c.fillRect(a, 0, 1, this.height)
      c.fillRect(b, 0, 1, this.height)
    }
    for (const e of [this.selected, this.linked]) if (e) this.outlineOf(e, e === this.selected ? ink : accent)
    this.arrow(accent)
    c.fillStyle = page
    c.fillRect(0, 0, this.width, RULER)
    c.strokeStyle = line
    c.fillStyle = soft
    const step = nice(this.perPixel * 110)
    c.beginPath()
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = Math.round(this.x(t)) + 0.5
      c.moveTo(x, RULER - 5)
      c.lineTo(x, this.height)
      c.fillText(tick(t, step), x + 3, 10)
    }
    c.globalAlpha = 0.5
    c.stroke()
    c.globalAlpha = 1
    if (this.cursor) {
      c.fillStyle = ink
      c.globalAlpha = 0.35
      c.fillRect(this.cursor[0], RULER, 1, this.height)
      c.globalAlpha = 1
    }
  }

  private box(e: Brief): [number, number, number, number] | undefined {
    const at = this.placed.find(p => p.g.number === e.group)
    if (!at || e.lane >= at.lanes) return
    return [this.x(e.start_ns), at.top - this.scroll + e.lane * at.lane, Math.max(2, e.dur_ns / this.perPixel), at.lane - 1]
  }
  private outlineOf(e: Brief, color: string) {
    const b = this.box(e)
    if (!b) return
    this.text.strokeStyle = color
    this.text.lineWidth = 2
    this.text.strokeRect(b[0], b[1], b[2], b[3])
    this.text.lineWidth = 1
  }
  private arrow(color: string) {
    if (!this.selected || !this.linked) return
    const a = this.box(this.linked), b = this.box(this.selected)
    if (!a || !b) return
    const c = this.text
    c.strokeStyle = color
    c.lineWidth = 1.5
    c.beginPath()
    c.moveTo(a[0] + a[2] / 2, a[1] + a[3] / 2)
    c.bezierCurveTo(a[0] + a[2] / 2, (a[1] + b[1]) / 2, b[0], (a[1] + b[1]) / 2, b[0], b[1] + b[3] / 2)
    c.stroke()
    c.lineWidth = 1
  }

  /** reveal brings an event into sight. */
  reveal(e: Brief) {
    let at = this.placed.find(p => p.g.number === e.group)
    if (at && e.lane >= at.lanes) { this.open.add(e.group); this.layout(); at = this.placed.find(p => p.g.number === e.group) }
    if (at) {
      const y = at.top + e.lane * at.lane
      if (y - this.scroll < RULER || y - this.scroll > this.height - 30) this.scroll = Math.max(0, Math.min(y - this.height / 2, this.full - this.height + 20))
    }
    if (e.start_ns < this.from || e.start_ns + e.dur_ns > this.to || e.dur_ns / this.perPixel < 8) {
      const span = Math.max(e.dur_ns * 12, 2000)
      this.show(e.start_ns + e.dur_ns / 2 - span / 2, e.start_ns + e.dur_ns / 2 + span / 2)
    } else this.later()
  }

  close() { for (const g of this.groups.values()) this.painter.free(g.drawn) }
  get uploads() { return this.painter.uploads }
  get requests() { return this.tiles.times }
}

/** nice is the next of 1, 2, 5, 10 … */
function nice(v: number): number {
  const p = 10 ** Math.floor(Math.log10(v))
  return [1, 2, 5, 10].map(k => k * p).find(k => k >= v) ?? 10 * p
}

/** tick writes a time so that neighbors differ. */
function tick(t: number, step: number): string {
  const [unit, size] = Math.abs(t) >= 1e9 || step >= 1e8 ? ['s', 1e9] : Math.abs(t) >= 1e6 || step >= 1e5 ? ['ms', 1e6] : Math.abs(t) >= 1e3 || step >= 100 ? ['µs', 1e3] : ['ns', 1]
  return (t / (size as number)).toFixed(Math.max(0, Math.ceil(Math.log10((size as number) / step) - 1e-9))) + ' ' + unit
}
