// Every view is an address: the path names the Run or trace and the pane, the query how it is looked at.
import { useEffect, useState } from 'hooks'

const changed = new EventTarget()

export function go(path: string, replace = false): void {
  if (path === location.pathname + location.search) return
  replace ? history.replaceState(null, '', path) : history.pushState(null, '', path)
  changed.dispatchEvent(new Event('go'))
}

/** usePlace renders again when the address changes. */
export function usePlace(): { path: string[]; query: URLSearchParams } {
  const [, again] = useState(0)
  useEffect(() => {
    const f = () => again(n => n + 1)
    changed.addEventListener('go', f)
    addEventListener('popstate', f)
    return () => { changed.removeEventListener('go', f); removeEventListener('popstate', f) }
  }, [])
  return { path: location.pathname.split('/').filter(Boolean), query: new URLSearchParams(location.search) }
}

/** setQuery changes some values of the address without a new step in the history. */
export function setQuery(values: Record<string, string | null>): void {
  const q = new URLSearchParams(location.search)
  for (const [k, v] of Object.entries(values)) v === null || v === '' ? q.delete(k) : q.set(k, v)
  const s = q.toString()
  go(location.pathname + (s ? '?' + s : ''), true)
}

/** follow makes links of this page change the view without loading it again. */
export function follow(e: MouseEvent): void {
  const a = (e.target as Element).closest?.('a')
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || a.target || a.origin !== location.origin) return
  if (a.getAttribute('href')!.startsWith('#')) return
  e.preventDefault()
  go(a.pathname + a.search)
  scrollTo(0, 0)
}
