// Tables sort, long ones filter and copy as CSV, headings have anchors, plots zoom. Without it the page says the same.
// No less-than sign and no ampersand: the page is well-formed XML.
(() => {
  const make = (name, props, ...inside) => { const e = Object.assign(document.createElement(name), props); e.append(...inside); return e }
  const scale = { ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 1073741824 }
  const value = cell => {
    const text = cell ? cell.textContent.trim() : ''
    const m = /^([−-]?[\d,]*\.?\d+)\s*([a-zA-Zµ]*)/.exec(text)
    return m ? Number(m[1].replace(/,/g, '').replace('−', '-')) * (scale[m[2]] || 1) : text
  }
  const compare = (x, y) => typeof x === 'number' ? (typeof y === 'number' ? x - y : -1) : typeof y === 'number' ? 1 : x.localeCompare(y)

  document.querySelectorAll('table').forEach(table => {
    const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells]
    if (2 > rows.length) return
    heads.forEach((th, i) => {
      if (th.tagName !== 'TH') return
      const button = make('button', { type: 'button', className: 'sort' }, ...th.childNodes)
      th.append(button)
      button.addEventListener('click', () => {
        const up = th.getAttribute('aria-sort') === 'descending'
        heads.forEach(h => h.removeAttribute('aria-sort'))
        th.setAttribute('aria-sort', up ? 'ascending' : 'descending')
        body.append(...rows.slice().sort((a, b) => compare(value(a.cells[i]), value(b.cells[i])) * (up ? 1 : -1)))
      })
    })
    if (8 > rows.length) return
    const field = make('input', { type: 'search', placeholder: 'Filter' })
    field.setAttribute('aria-label', 'Filter ' + (table.caption ? table.caption.textContent : 'table'))
    const count = make('span', { className: 'count' }, rows.length + ' rows')
    field.addEventListener('input', () => {
      const words = field.value.toLowerCase().split(/\s+/)
      let n = 0
      rows.forEach(r => { r.hidden = !words.every(w => r.textContent.toLowerCase().includes(w)); if (!r.hidden) n++ })
      count.textContent = n === rows.length ? n + ' rows' : n + ' of ' + rows.length
    })
    const copy = make('button', { type: 'button' }, 'Copy CSV')
    copy.addEventListener('click', async () => {
      const cell = c => '"' + c.textContent.trim().replace(/"/g, '""') + '"'
      await navigator.clipboard.writeText([heads, ...[...body.rows].filter(r => !r.hidden).map(r => [...r.cells])].map(l => l.map(cell).join(',')).join('\n') + '\n')
      copy.textContent = 'Copied'
    })
    const tools = make('div', { className: 'tools' }, field, count, copy)
    const box = table.closest('.scroll') || table
    box.before(tools)
  })

  const used = new Set()
  document.querySelectorAll('h2').forEach(h => {
    let id = h.textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'part'
    while (used.has(id)) id += '-2'
    used.add(id)
    h.id = id
    const anchor = make('a', { href: '#' + id, className: 'anchor' }, '#')
    anchor.setAttribute('aria-label', 'Link to this part')
    h.append(' ', anchor)
  })
  if (location.hash) { const at = document.getElementById(location.hash.slice(1)); if (at) { const d = at.closest('details'); if (d) d.open = true; at.scrollIntoView() } }

  document.querySelectorAll('figure svg').forEach(svg => {
    const all = svg.getAttribute('viewBox')
    if (!all) return
    let from
    const at = e => { const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse()); return p }
    svg.addEventListener('pointerdown', e => { from = e.button ? undefined : at(e) })
    svg.addEventListener('pointerup', e => {
      if (!from) return
      const to = at(e), w = Math.abs(to.x - from.x), old = svg.getAttribute('viewBox').split(/[ ,]+/).map(Number)
      if (w > old[2] / 40) {
        const h = old[3] * w / old[2], y = Math.max(old[1], Math.min((from.y + to.y) / 2 - h / 2, old[1] + old[3] - h))
        svg.setAttribute('viewBox', [Math.min(from.x, to.x), y, w, h].join(' '))
      }
      from = undefined
    })
    svg.addEventListener('dblclick', () => svg.setAttribute('viewBox', all))
    svg.classList.add('zooms')
  })
})()
