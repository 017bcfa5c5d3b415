// Talks to the server. The session is a cookie that scripts cannot see, and a key that only this origin has.

const KEY = 'saturate-key'
export class Refused extends Error {}

/** login exchanges the token of the link, once, and takes it out of the address. */
export async function login(): Promise<void> {
  const token = location.hash.slice(1)
  if (!/^[\w-]{20,}$/.test(token)) return
  history.replaceState(null, '', location.pathname + location.search)
  const r = await fetch('/api/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }) })
  if (r.ok) localStorage.setItem(KEY, (await r.json()).key)
}

const headers = () => ({ 'X-Saturate': localStorage.getItem(KEY) ?? '' })

async function send(path: string, signal?: AbortSignal): Promise<Response> {
  const r = await fetch('/api/' + path, { headers: headers(), signal })
  if (r.status === 401) throw new Refused('Open the link that saturate serve printed.')
  if (!r.ok) throw new Error((await r.json().catch(() => ({ error: r.statusText }))).error)
  return r
}

export interface Progress { phase: string; done: number; total: number }

/** get asks for JSON. While a trace is imported it asks again and tells how far it is. */
export async function get<T>(path: string, progress?: (p: Progress) => void, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const r = await send(path, signal)
    const body = await r.json()
    if (r.status !== 202) return body
    progress?.(body)
    await new Promise(done => setTimeout(done, 150))
  }
}

export async function bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await send(path, signal)).arrayBuffer()
}

/** stream calls on for each server-sent event until the signal aborts; it connects again when the line drops. */
export async function stream(path: string, on: (event: string, data: any) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const r = await send(path, signal)
      const reader = r.body!.pipeThrough(new TextDecoderStream()).getReader()
      on('open', null)
      let rest = ''
      for (;;) {
        const { value, done } = await reader.read()
        if (done) break
        const parts = (rest + value).split('\n\n')
        rest = parts.pop()!
        for (const part of parts) {
          const event = /^event: (.*)$/m.exec(part)?.[1] ?? 'message'
          const data = /^data: (.*)$/m.exec(part)?.[1]
          if (data) on(event, JSON.parse(data))
        }
      }
    } catch (e) {
      if (signal.aborted || e instanceof Refused) return
    }
    await new Promise(done => setTimeout(done, 1000))
  }
}
