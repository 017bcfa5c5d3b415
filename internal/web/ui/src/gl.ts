// Draws rectangles with WebGL2: one draw a track group. Times are offsets from the first tile in sight, and the shader moves them to
// pixels, so panning and zooming upload nothing until another tile comes into sight. A rectangle is four vertices, not an instance:
// where there is no GPU, the browser's software renderer takes each instance for a draw of its own.

const VERTEX = `#version 300 es
layout(location=0) in vec2 x;        // in buckets from the first tile
layout(location=1) in uvec4 what;    // lane, busy, color
layout(location=2) in uint name;
uniform float x0, dx;                // where the first tile starts in pixels, pixels a bucket
uniform vec2 size;                   // of the canvas
uniform float top, lane;             // of the group
uniform uint find;
uniform vec4 palette[48];
flat out vec4 color;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
  float left = x0 + x.x * dx, right = max(x0 + x.y * dx, left + 1.0);
  float gap = right - left > 3.0 && mod(x.y, 512.0) != 0.0 ? 0.5 : 0.0; // it goes on in the next tile
  vec2 p = vec2(mix(left, right - gap, corner.x), top + float(what.x) * lane + (lane - 1.0) * corner.y);
  gl_Position = vec4(p.x / size.x * 2.0 - 1.0, 1.0 - p.y / size.y * 2.0, 0, 1);
  float shade = what.y == 255u ? 1.0 : 0.12 + 0.88 * float(what.y) / 255.0;
  if (find != 0u) shade *= name == find ? 1.0 : 0.18;
  color = vec4(palette[what.z].rgb * shade, shade);
}`
const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 color;
out vec4 o;
void main() { o = color; }`

/** RECT is the bytes of a rectangle from the server: from, to (float32, in buckets), name, event, count (uint32), lane, busy, color, kind. */
export const RECT = 24
const VERTEX_BYTES = 16

/** Part is a tile, or a stretched one of a coarser level, as it lies among the tiles in sight: x buckets become at + scale · x. */
export interface Part { data: ArrayBuffer; at: number; scale: number; from: number; to: number }
export interface Drawn { buffer: WebGLBuffer; array: WebGLVertexArrayObject; n: number }

export class Painter {
  gl: WebGL2RenderingContext
  private u: Record<string, WebGLUniformLocation | null> = {}
  private corners: WebGLBuffer
  private room = 0 // rectangles that corners has indices for
  draws = 0
  uploads = 0

  constructor(public canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', { antialias: false, depth: false, premultipliedAlpha: true })
    if (!gl) throw new Error('This browser has no WebGL2, which the timeline needs.')
    this.gl = gl
    const program = gl.createProgram()!
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind)!
      gl.shaderSource(shader, source)
      gl.compileShader(shader)
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'shader')
      gl.attachShader(program, shader)
    }
    gl.linkProgram(program)
    gl.useProgram(program)
    for (const name of ['x0', 'dx', 'size', 'top', 'lane', 'find', 'palette']) this.u[name] = gl.getUniformLocation(program, name)
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
    this.corners = gl.createBuffer()!
  }

  /** upload puts the rectangles of the tiles in sight of one group into a buffer, without the lanes that are folded away. */
  upload(parts: Part[], lanes: number): Drawn {
    const gl = this.gl
    let most = 0
    for (const p of parts) most += p.data.byteLength / RECT
    const out = new ArrayBuffer(most * 4 * VERTEX_BYTES)
    const floats = new Float32Array(out), words = new Uint32Array(out)
    let n = 0
    for (const p of parts) {
      const x = new Float32Array(p.data), w = new Uint32Array(p.data), bytes = new Uint8Array(p.data)
      for (let i = 0; i < w.length; i += RECT / 4) {
        const from = Math.max(p.from, p.at + x[i] * p.scale), to = Math.min(p.to, p.at + x[i + 1] * p.scale)
        if (bytes[4 * i + 20] >= lanes || to < p.from || from > p.to) continue
        for (let o = n++ * 16, k = 0; k < 4; k++, o += 4) {
          floats[o] = from
          floats[o + 1] = to
          words[o + 2] = w[i + 5]
          words[o + 3] = w[i + 2]
        }
      }
    }
    const array = gl.createVertexArray()!, buffer = gl.createBuffer()!
    gl.bindVertexArray(array)
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
    gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(out, 0, n * 4 * VERTEX_BYTES), gl.STATIC_DRAW)
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners)
    this.grow(n)
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, VERTEX_BYTES, 0)
    gl.vertexAttribIPointer(1, 4, gl.UNSIGNED_BYTE, VERTEX_BYTES, 8)
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, VERTEX_BYTES, 12)
    for (const i of [0, 1, 2]) gl.enableVertexAttribArray(i)
    this.uploads++
    return { buffer, array, n }
  }

  /** grow makes room for the indices of n rectangles, two triangles each. */
  private grow(n: number) {
    if (n <= this.room) return
    this.room = Math.max(4096, 2 ** Math.ceil(Math.log2(n)))
    const indices = new Uint32Array(6 * this.room)
    for (let i = 0; i < this.room; i++) indices.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 2, 4 * i + 1, 4 * i + 3], 6 * i)
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, indices, this.gl.STATIC_DRAW)
  }

  free(d: Drawn) { this.gl.deleteBuffer(d.buffer); this.gl.deleteVertexArray(d.array) }

  /** begin starts a frame. All groups have the same tiles in sight, so the first one's place is set once. */
  begin(width: number, height: number, palette: Float32Array, find: number, x0: number, dx: number) {
    const gl = this.gl
    this.draws = 0
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight)
    gl.clearColor(0, 0, 0, 0)
    gl.clear(gl.COLOR_BUFFER_BIT)
    gl.uniform2f(this.u.size, width, height)
    gl.uniform4fv(this.u.palette, palette)
    gl.uniform1ui(this.u.find, find)
    gl.uniform1f(this.u.x0, x0)
    gl.uniform1f(this.u.dx, dx)
  }

  group(d: Drawn, top: number, lane: number) {
    if (!d.n) return
    const gl = this.gl
    gl.uniform1f(this.u.top, top)
    gl.uniform1f(this.u.lane, lane)
    gl.bindVertexArray(d.array)
    gl.drawElements(gl.TRIANGLES, 6 * d.n, gl.UNSIGNED_INT, 0)
    this.draws++
  }
}
