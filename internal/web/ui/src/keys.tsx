import { h, Fragment } from 'preact'
import { useEffect } from 'hooks'

/** typing reports whether keys belong to a field. */
export const typing = (e: KeyboardEvent) => e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test((e.target as Element).tagName)

/** useKeys: digits open panes, / goes to the search, ? shows all keys. */
export function useKeys() {
  useEffect(() => {
    const on = (e: KeyboardEvent) => {
      if (e.key === 'Escape' && e.target instanceof HTMLInputElement) e.target.blur()
      if (typing(e) || document.querySelector('dialog[open]')) return
      if (e.key === '?') (document.getElementById('help') as HTMLDialogElement).showModal()
      else if (e.key === '/') {
        const field = document.querySelector<HTMLInputElement>('main input[type=search]')
        if (field) { e.preventDefault(); field.focus(); field.select() }
      } else if (/^[1-9]$/.test(e.key)) document.querySelectorAll<HTMLAnchorElement>('nav.panes a')[Number(e.key) - 1]?.click()
      else return
    }
    addEventListener('keydown', on)
    return () => removeEventListener('keydown', on)
  }, [])
}

const keys: [string, string][] = [
  ['1 … 9', 'open a pane'], ['/', 'search or filter'], ['?', 'this list'],
  ['W S', 'zoom in and out at the pointer'], ['A D', 'pan; with Shift faster'], ['F', 'fit the selection; again: the whole trace'],
  ['M', 'mark the selection'], ['[ ]', 'previous and next step'], ['{ }', 'previous and next GPU gap'], ['Esc', 'clear the selection'],
]

export function Help() {
  return <dialog id="help" aria-labelledby="help-title"><form method="dialog"><h2 id="help-title">Keyboard</h2>
    <dl class="keys">{keys.map(([k, what]) => <div><dt><kbd>{k}</kbd></dt><dd>{what}</dd></div>)}</dl><button>Close</button></form></dialog>
}
