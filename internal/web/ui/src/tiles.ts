// Keeps the tiles of a timeline: asks for those in sight, several at a time, and forgets the ones that were not used for longest.
import { bytes } from './api'

export const BUCKETS = 512
const MOST = 96 << 20 // bytes kept

export interface Tile { key: string; data: ArrayBuffer; used: number }

export class Tiles {
  private map = new Map<string, Tile>()
  private asked = new Set<string>()
  private size = 0
  private wanted: string[] = []
  private busy = 0
  private clock = 0
  pending = 0
  arrivals = 0
  times: number[] = [] // of requests, in ms

  constructor(private trace: string, private arrived: () => void) {}

  get(group: number, level: number, index: number): Tile | undefined {
    const t = this.map.get(group + '.' + level + '.' + index)
    if (t) t.used = ++this.clock
    return t
  }

  has(group: number, level: number, index: number) { return this.map.has(group + '.' + level + '.' + index) }

  /** want asks for what is in sight now; what was in sight before and not asked for yet is dropped. */
  want(keys: string[]) {
    this.wanted = keys.filter(k => !this.map.has(k) && !this.asked.has(k))
    this.pending = this.wanted.length + this.asked.size
    this.next()
  }

  private next() {
    while (this.busy < 3 && this.wanted.length) {
      const keys = this.wanted.splice(0, 32)
      keys.forEach(k => this.asked.add(k))
      this.busy++
      const began = performance.now()
      bytes('trace/' + this.trace + '/tiles?q=' + keys.join(',')).then(body => {
        this.times.push(performance.now() - began)
        let at = 0
        const view = new DataView(body)
        for (const key of keys) {
          const n = view.getUint32(at, true)
          this.map.set(key, { key, data: body.slice(at + 4, at + 4 + n), used: ++this.clock })
          this.size += n
          at += 4 + n
        }
      }).catch(() => undefined).finally(() => {
        keys.forEach(k => this.asked.delete(k))
        this.busy--
        this.arrivals++
        this.pending = this.wanted.length + this.asked.size
        this.forget()
        this.arrived()
        this.next()
      })
    }
  }

  private forget() {
    if (this.size <= MOST) return
    for (const t of [...this.map.values()].sort((a, b) => a.used - b.used)) {
      if (this.size <= MOST * 0.75) return
      this.size -= t.data.byteLength
      this.map.delete(t.key)
    }
  }
}
