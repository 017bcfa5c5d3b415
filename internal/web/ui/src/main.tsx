import { h, Fragment, render } from 'preact'
import { useEffect } from 'hooks'
import { login } from './api'
import { follow, usePlace } from './route'
import { Home } from './home'
import { TracePage } from './trace'
import { RunPageView } from './run'
import { ComparePage, TracesPage } from './compare'
import { SnapshotPage } from './memory'
import { Help, useKeys } from './keys'

function App() {
  const { path } = usePlace()
  useKeys()
  useEffect(() => {
    document.addEventListener('click', follow)
    return () => document.removeEventListener('click', follow)
  }, [])
  const [what, id] = path
  let page
  if (what === 'trace' && id) page = <TracePage key={id} id={id} pane={path[2] ?? 'overview'} />
  else if (what === 'run' && id) page = <RunPageView key={id} id={id} pane={path[2] ?? 'overview'} />
  else if (what === 'compare') page = <ComparePage />
  else if (what === 'traces') page = <TracesPage />
  else if (what === 'memory' && id) page = <SnapshotPage key={id} id={id} />
  else page = <Home />
  return <>
    <a class="skip" href="#main">Skip to content</a>
    <header class="top"><a class="brand" href="/"><img src="/icon.svg" alt="" width="20" height="20" />saturate</a>
      <button type="button" class="quiet" onClick={() => (document.getElementById('help') as HTMLDialogElement).showModal()} aria-label="Keyboard shortcuts">?</button></header>
    {page}
    <Help />
  </>
}

login().finally(() => render(<App />, document.getElementById('app')!))
