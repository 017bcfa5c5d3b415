// Draws rectangles with WebGL2: one instanced draw a tile, straight from the server's bytes. Times stay offsets within a tile;
// the shader moves them to pixels, so panning and zooming upload nothing.

const VERTEX = `#version 300 es
layout(location=0) in vec2 x;        // in buckets of the tile
layout(location=1) in uvec4 what;    // lane, busy, color, kind
layout(location=2) in uint name;
uniform float x0, dx;                // tile start in pixels, pixels a bucket
uniform vec2 size;                   // of the canvas
uniform float top, lane, floorLane;  // of the group
uniform uint find;
uniform vec4 palette[48];
flat out vec4 color;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  float left = x0 + x.x * dx, right = max(x0 + x.y * dx, left + 1.0);
  float l = float(what.x), busy = float(what.y) / 255.0;
  float gap = right - left > 3.0 && x.y < 512.0 ? 0.5 : 0.0;
  float full = lane - 1.0;
  float y = top + l * lane;
  vec2 p = vec2(mix(left, right - gap, corner.x), y + full * corner.y);
  if (l >= floorLane) p = vec2(-9.0);
  gl_Position = vec4(p.x / size.x * 2.0 - 1.0, 1.0 - p.y / size.y * 2.0, 0, 1);
  vec4 c = palette[what.z];
  float shade = what.y == 255u ? 1.0 : 0.12 + 0.88 * busy;
  if (find != 0u) shade *= name == find ? 1.0 : 0.18;
  color = vec4(c.rgb * shade, shade);
}`
const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 color;
out vec4 o;
void main() { o = color; }`

export const RECT = 24

export interface Drawn { buffer: WebGLBuffer; array: WebGLVertexArrayObject; n: number }

export class Painter {
  gl: WebGL2RenderingContext
  private u: Record<string, WebGLUniformLocation | null> = {}
  draws = 0

  constructor(public canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', { antialias: false, premultipliedAlpha: true, preserveDrawingBuffer: true })
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
    for (const name of ['x0', 'dx', 'size', 'top', 'lane', 'floorLane', 'find', 'palette']) this.u[name] = gl.getUniformLocation(program, name)
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
  }

  upload(bytes: Uint8Array): Drawn {
    const gl = this.gl
    const array = gl.createVertexArray()!, buffer = gl.createBuffer()!
    gl.bindVertexArray(array)
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW)
    gl.enableVertexAttribArray(0)
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, RECT, 0)
    gl.enableVertexAttribArray(1)
    gl.vertexAttribIPointer(1, 4, gl.UNSIGNED_BYTE, RECT, 20)
    gl.enableVertexAttribArray(2)
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, RECT, 8)
    for (const i of [0, 1, 2]) gl.vertexAttribDivisor(i, 1)
    return { buffer, array, n: bytes.length / RECT }
  }

  free(d: Drawn) { this.gl.deleteBuffer(d.buffer); this.gl.deleteVertexArray(d.array) }

  begin(width: number, height: number, palette: Float32Array, find: number) {
    const gl = this.gl
    this.draws = 0
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight)
    gl.clearColor(0, 0, 0, 0)
    gl.clear(gl.COLOR_BUFFER_BIT)
    gl.uniform2f(this.u.size, width, height)
    gl.uniform4fv(this.u.palette, palette)
    gl.uniform1ui(this.u.find, find)
  }

  group(top: number, lane: number, lanes: number) {
    this.gl.uniform1f(this.u.top, top)
    this.gl.uniform1f(this.u.lane, lane)
    this.gl.uniform1f(this.u.floorLane, lanes)
  }

  /** clip keeps a stretched tile of another level from covering what is drawn already. */
  clip(x0: number, x1: number, scale: number) {
    const gl = this.gl
    gl.enable(gl.SCISSOR_TEST)
    gl.scissor(Math.max(0, Math.round(x0 * scale)), 0, Math.max(0, Math.round(x1 * scale) - Math.max(0, Math.round(x0 * scale))), gl.drawingBufferHeight)
  }

  tile(d: Drawn, x0: number, dx: number) {
    if (!d.n) return
    const gl = this.gl
    gl.uniform1f(this.u.x0, x0)
    gl.uniform1f(this.u.dx, dx)
    gl.bindVertexArray(d.array)
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, d.n)
    this.draws++
  }
}
