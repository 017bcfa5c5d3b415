// Numbers as people say them.

export function ns(v: number): string {
  const a = Math.abs(v)
  if (a >= 1e9) return digits(v / 1e9) + ' s'
  if (a >= 1e6) return digits(v / 1e6) + ' ms'
  if (a >= 1e3) return digits(v / 1e3) + ' µs'
  return v ? Math.round(v) + ' ns' : '0'
}

/** at is a moment of a trace, exact enough to tell the ends of a span apart. */
export function at(v: number, span: number): string {
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(1, span) / 1e9)) + 1))
  return (v / 1e9).toFixed(Math.max(2, decimals)) + ' s'
}

export const seconds = (v: number) => (v > 0 && v < 60 ? ns(v * 1e9) : v >= 3600 ? three(v / 3600) + ' h' : v >= 60 ? three(v / 60) + ' min' : v ? ns(v * 1e9) : '')

/** three writes a number with three digits; whole ones as they are. */
export const three = (v: number) => (Number.isInteger(v) ? v.toLocaleString('en-US') : digits(v))

function digits(v: number): string {
  const a = Math.abs(v)
  if (a < 100) v = Number(v.toPrecision(3)) // 9.999 is 10.0
  if (a >= 100) return Math.round(v).toLocaleString('en-US')
  return v.toFixed(Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : 2)
}

export function bytes(v: number): string {
  if (Math.abs(v) < 1024) return three(v) + ' B'
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (Math.abs(v) < 1024 || unit === 'GiB') return digits(v) + ' ' + unit
    v /= 1024
  }
  return ''
}

export function disk(v: number): string {
  if (Math.abs(v) < 1000) return three(v) + ' B'
  for (const unit of ['B', 'KB', 'MB', 'GB']) {
    if (Math.abs(v) < 1000 || unit === 'GB') return digits(v) + ' ' + unit
    v /= 1000
  }
  return ''
}

export const count = (v: number) => Math.round(v).toLocaleString('en-US')
export const percent = (v: number) => (!v ? '0%' : v > 0 && v < 0.001 ? '<0.1%' : (v * 100).toFixed(v < 0.0995 ? 1 : 0) + '%')
export const plural = (n: number, word: string) => count(n) + ' ' + word + (n === 1 ? '' : 's')

export function when(iso: string): string {
  const d = new Date(iso)
  return d.toLocaleDateString('en-CA') + ' ' + d.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}
