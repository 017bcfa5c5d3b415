import { h, Fragment } from 'preact'
import { useMemo, useRef, useState } from 'hooks'
import { usePlace, setQuery } from './route'
import * as f from './format'

/** Column says how a value is shown, sorted and copied. */
export interface Column<T> {
  name: string
  value: (row: T) => number | string | undefined // sorted and copied by
  show?: (row: T) => any
  bar?: (row: T) => number // 0 to 1: a bar behind the value
  title?: string
}

interface Props<T> {
  id: string // in the address
  columns: Column<T>[]
  rows: T[]
  sort?: string // column to begin with, largest first
  caption: string
  empty?: string
  first?: number // rows that are shown at first
  onPick?: (row: T) => void
}

/** save hands the text over as a file. */
function save(name: string, text: string): string {
  const a = document.createElement('a')
  a.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 1000)
  return 'Saved ' + name
}

const PAGE = 100

/** Table sorts, filters, and copies as CSV; how it stands is in the address. */
export function Table<T>({ id, columns, rows, sort, caption, empty, first = PAGE, onPick }: Props<T>) {
  const { query } = usePlace()
  const [most, setMost] = useState(first)
  const [copied, setCopied] = useState('')
  const say = useRef<HTMLSpanElement>(null)
  const [by, way] = (query.get(id + '.sort') ?? (sort ? sort + ':down' : '')).split(':')
  const filter = query.get(id + '.filter') ?? ''

  const shown = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    const list = words.length
      ? rows.filter(r => { const text = columns.map(c => c.value(r) ?? '').join(' ').toLowerCase(); return words.every(w => text.includes(w)) })
      : rows.slice()
    const c = columns.find(c => c.name === by)
    if (c) {
      const up = way === 'up' ? 1 : -1
      list.sort((a, b) => {
        const x = c.value(a), y = c.value(b)
        if (x === y) return 0
        if (x === undefined || x === '') return 1
        if (y === undefined || y === '') return -1
        return typeof x === 'number' && typeof y === 'number' ? (x - y) * up : String(x).localeCompare(String(y), undefined, { numeric: true }) * up
      })
    }
    return list
  }, [rows, columns, by, way, filter])

  const turn = (c: Column<T>) => {
    const first = rows.some(r => typeof c.value(r) === 'number') ? 'down' : 'up'
    const next = by !== c.name ? first : way === 'down' ? 'up' : 'down'
    setQuery({ [id + '.sort']: c.name + ':' + next })
  }
  const copy = async () => {
    const cell = (v: unknown) => { const s = String(v ?? ''); return /[",\n]/.test(s) || /^[=+@-]/.test(s) && isNaN(Number(s)) ? '"' + s.replace(/"/g, '""') + '"' : s }
    const csv = [columns.map(c => cell(c.name)).join(','), ...shown.map(r => columns.map(c => cell(c.value(r))).join(','))].join('\n')
    const done = await navigator.clipboard.writeText(csv + '\n').then(() => 'Copied', () => save(id + '.csv', csv + '\n')) // a browser may refuse the clipboard
    setCopied(done)
    setTimeout(() => setCopied(''), 2000)
  }
  if (!rows.length) return <p class="soft">{empty ?? 'None.'}</p>
  const numeric = columns.map(c => rows.some(r => typeof c.value(r) === 'number'))
  return <div class="table" id={'table-' + id}>
    <div class="tools">
      <label class="filter"><span class="sr">Filter {caption}</span>
        <input type="search" placeholder="Filter" value={filter} data-filter={id}
          onInput={e => setQuery({ [id + '.filter']: (e.target as HTMLInputElement).value })} /></label>
      <span class="soft" aria-live="polite" ref={say}>{shown.length === rows.length ? f.plural(rows.length, 'row') : f.count(shown.length) + ' of ' + f.count(rows.length)}</span>
      <button type="button" class="quiet" onClick={copy}>{copied || 'Copy CSV'}</button>
    </div>
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="sr">{caption}</caption>
        <thead><tr>{columns.map((c, i) => <th scope="col" class={numeric[i] ? 'num' : ''} aria-sort={by === c.name ? (way === 'up' ? 'ascending' : 'descending') : undefined}>
          <button type="button" onClick={() => turn(c)} title={c.title}>{c.name}<span class="way" aria-hidden="true">{by === c.name ? (way === 'up' ? ' ▲' : ' ▼') : ''}</span></button></th>)}</tr></thead>
        <tbody>{shown.slice(0, most).map(r => <tr class={onPick ? 'pick' : ''} onClick={onPick && (e => { if (!(e.target as Element).closest('a,button')) onPick(r) })}>
          {columns.map((c, i) => <td class={numeric[i] ? 'num' : 'text'} style={c.bar && { '--part': Math.min(1, c.bar(r)) * 100 + '%' } as any} data-bar={c.bar ? '' : undefined}>
            {c.show ? c.show(r) : typeof c.value(r) === 'number' ? f.three(c.value(r) as number) : c.value(r) ?? ''}</td>)}</tr>)}</tbody>
      </table>
    </div>
    {shown.length > most && <button type="button" class="quiet" onClick={() => setMost(Math.max(PAGE, most * 4))}>Show {f.count(Math.min(Math.max(PAGE, most * 4), shown.length) - most)} more</button>}
  </div>
}
