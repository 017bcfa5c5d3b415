import { h, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'hooks'
import uPlot from 'uplot'

export interface Line { name: string; values: (number | null)[]; color: string; fill?: boolean; points?: boolean; dashed?: boolean; stepped?: boolean }

const powers = Array.from({ length: 40 }, (_, i) => 2 ** i)

const scheme = matchMedia('(prefers-color-scheme: dark)')

/** css reads a color of the page, which follows light and dark. */
export const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

interface Props { x: number[]; lines: Line[]; height?: number; xText: (v: number) => string; yText: (v: number) => string; label: string; whole?: boolean; binary?: boolean; onPick?: (i: number) => void; onRange?: (a: number, b: number) => void }

/** Plot is a line plot that can be zoomed by dragging; a double click shows all again. With whole, x counts things; with binary, y counts bytes. */
export function Plot({ x, lines, height = 220, xText, yText, label, whole, binary, onPick }: Props) {
  const at = useRef<HTMLDivElement>(null)
  const [dark, setDark] = useState(scheme.matches)
  useEffect(() => {
    const turn = () => setDark(scheme.matches)
    scheme.addEventListener('change', turn)
    return () => scheme.removeEventListener('change', turn)
  }, [])
  useEffect(() => {
    const root = at.current!
    const ink = css('--soft'), grid = css('--line')
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: '12px system-ui, sans-serif' }
    const plot = new uPlot({
      width: Math.max(200, root.clientWidth), height, legend: { live: true },
      scales: { x: { time: false }, y: { range: (_: any, low: number, high: number) => [Math.min(0, low), (high || 1) * 1.06] } },
      series: [{ label: 'at', value: (_: any, v: number) => (v == null ? '' : xText(v)) }, ...lines.map(l => ({
        label: l.name, stroke: css(l.color), width: 1.5, fill: l.fill ? css(l.color) + '33' : undefined, dash: l.dashed ? [4, 4] : undefined,
        points: { show: l.points ?? false, size: 7, fill: css(l.color) }, paths: l.points ? () => null : l.stepped ? uPlot.paths.stepped!({ align: 1 }) : undefined, value: (_: any, v: number) => (v == null ? '' : yText(v)),
      }))],
      axes: [{ ...axis, ...(whole && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] }), values: (_: any, v: number[]) => v.map(xText) }, { ...axis, size: 72, ...(binary && { incrs: powers }), values: (_: any, v: number[]) => v.map(yText) }],
      cursor: { drag: { x: true, y: false } },
    } as any, [x, ...lines.map(l => l.values)] as any, root)
    const click = () => { if (onPick && plot.cursor.idx != null) onPick(plot.cursor.idx) }
    plot.over.addEventListener('click', click)
    const watch = new ResizeObserver(() => plot.setSize({ width: Math.max(200, root.clientWidth), height }))
    watch.observe(root)
    return () => { watch.disconnect(); plot.destroy() }
  }, [x, lines, dark])
  return <div class="plot" ref={at} role="img" aria-label={label} style={{ minHeight: height + 26 + 'px' }} />
}

/** Stack is one bar cut into parts. */
export function Stack({ parts, total, text, part = 1 }: { parts: { name: string; value: number; color: string }[]; total: number; text: (v: number) => string; part?: number }) {
  const seen = parts.filter(p => p.value > 0)
  return <div>
    <div class="stack" style={{ width: 100 * part + '%' }} role="img" aria-label={seen.map(p => p.name + ' ' + text(p.value)).join(', ')}>
      {seen.map(p => <span class={p.color} style={{ width: (100 * p.value) / total + '%' }} title={p.name + ' ' + text(p.value)} />)}</div>
    <ul class="legend">{seen.slice().sort((a, b) => b.value - a.value).map(p => <li><span class={'key ' + p.color} />{p.name} <strong>{text(p.value)}</strong> <span class="soft">{((100 * p.value) / total).toFixed(0)}%</span></li>)}</ul>
  </div>
}
