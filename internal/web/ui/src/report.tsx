// A report as the server describes it: sentences, figures, tables, plots, findings.
import { h, Fragment } from 'preact'
import { Table } from './table'
import type { Page, Block, Finding } from './types'

/** Prose shows `code` between backticks as code. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((s, i) => (i % 2 ? <code>{s}</code> : s))}</>
}

export function Verdict({ tone, lines }: { tone: string; lines: string[] }) {
  if (!lines.length) return null
  return <section class={'verdict ' + tone} aria-label="Result"><p class="answer"><Prose text={lines[0]} /></p>{lines.slice(1).map(l => <p><Prose text={l} /></p>)}</section>
}

export function Figures({ list }: { list: { name: string; value: string; note?: string }[] }) {
  if (!list.length) return null
  return <dl class="figures">{list.map(x => <div><dt>{x.name}</dt><dd>{x.value}</dd>{x.note && <dd class="note">{x.note}</dd>}</div>)}</dl>
}

export function Warnings({ list }: { list: string[] }) {
  if (!list.length) return null
  return <section class="warnings" aria-label="Warnings"><h2>Warnings</h2><ul>{list.map(w => <li><Prose text={w} /></li>)}</ul></section>
}

/** number reads a formatted cell, so that 1.2 ms sorts before 3 s. */
function number(s: string): number | string {
  const m = /^([−-]?[\d,]*\.?\d+)\s*(%|×|ns|µs|ms|s|min|h|B|KB|MB|GB|KiB|MiB|GiB)?\b/.exec(s.trim())
  if (!m) return s
  const scale: Record<string, number> = { ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 1073741824 }
  return Number(m[1].replace(/,/g, '').replace('−', '-')) * (scale[m[2]] ?? 1)
}

export function BlockView({ block, id }: { block: Block; id: string }) {
  const inner = <>
    {block.text && block.text.split('\n').map(l => <p><Prose text={l} /></p>)}
    {block.code && <Code code={block.code} />}
    {block.table && (block.table.rows.length > 6
      ? <Table id={id} caption={block.heading ?? 'Table'} rows={block.table.rows} columns={block.table.columns.map((c, i) => ({
        name: c.name, value: (r: string[]) => (c.right ? number(r[i] ?? '') : r[i] ?? ''), show: (r: string[]) => <Prose text={r[i] ?? ''} />,
      }))} />
      : <Plain table={block.table} />)}
    {block.table?.foot && <p class="soft"><Prose text={block.table.foot} /></p>}
    {block.svg && <figure>{block.caption && <figcaption>{block.caption}</figcaption>}
      <div class={block.narrow ? 'wide' : ''} dangerouslySetInnerHTML={{ __html: block.svg }} />
      {block.narrow && <div class="narrow" dangerouslySetInnerHTML={{ __html: block.narrow }} />}</figure>}
  </>
  if (block.detail) return <details><summary><h2>{block.heading}</h2></summary>{inner}</details>
  return <section>{block.heading && <h2>{block.heading}</h2>}{inner}</section>
}

function Plain({ table }: { table: NonNullable<Block['table']> }) {
  return <div class="scroll" tabIndex={0} role="region" aria-label="Table"><table>
    {table.columns.some(c => c.name) && <thead><tr>{table.columns.map(c => <th scope="col" class={c.right ? 'num' : ''}>{c.name}</th>)}</tr></thead>}
    <tbody>{table.rows.map(r => <tr>{table.columns.map((c, i) => <td class={c.right ? 'num' : 'text'}><Prose text={r[i] ?? ''} /></td>)}</tr>)}</tbody></table></div>
}

export function Code({ code }: { code: string }) {
  return <pre tabIndex={0}><code>{code.split('\n').map(l => <span class={/^(@@|--- |\+\+\+ )/.test(l) ? 'hunk' : l.startsWith('+') ? 'add' : l.startsWith('-') ? 'del' : ''}>{l + '\n'}</span>)}</code></pre>
}

export function Findings({ list, trace, none = 'No findings.' }: { list: Finding[]; trace?: string; none?: string }) {
  if (!list.length) return <p class="soft">{none}</p>
  return <>{list.map(x => <article class={'finding ' + x.severity} id={x.code}>
    <h3><span class="code">{x.code}</span> <Prose text={x.message} /></h3>
    <p class="soft">{x.severity}{x.gain && <> · {x.gain}</>}{x.place && <> · <code>{x.place}</code></>}
      {trace && x.when && <> · <a href={`/trace/${trace}/timeline?from=${x.when.start_ns}&to=${x.when.end_ns}`}>show in the timeline</a></>}</p>
    {x.source && <pre tabIndex={0}><code><span class="ln">{x.line}</span>{x.source + '\n'}<span class="caret">{' '.repeat(String(x.line).length) + x.caret}</span></code></pre>}
    <p><Prose text={x.why} /></p>
    {x.advice && <p><strong>Do:</strong> <Prose text={x.advice} /></p>}
    {x.notes.length > 0 && <ul>{x.notes.map(n => <li><Prose text={n} /></li>)}</ul>}
    {x.shown_fixes.map(s => <div class="fix"><p><strong>Fix:</strong> <Prose text={s.title} /> <span class="soft">({s.safety})</span></p>{s.diff && <Code code={s.diff} />}</div>)}
  </article>)}</>
}

/** ReportView shows a report; what it is given inside stands between the figures and the rest. */
export function ReportView({ page, id = 'r', children }: { page: Page; id?: string; children?: any }) {
  return <>
    <Verdict tone={page.tone} lines={page.summary} />
    <Figures list={page.figures} />
    <Warnings list={page.warnings} />
    {children}
    {page.diff && <section><h2>Change</h2><Code code={page.diff} /></section>}
    {page.blocks.map((b, i) => <BlockView block={b} id={id + i} />)}
    {page.findings.length > 0 && <section><h2>Findings</h2><Findings list={page.findings} /></section>}
    {page.next.length > 0 && <section><h2>Next</h2><Code code={page.next.join('\n')} /></section>}
  </>
}
