// Colors of the timeline, by the numbers that the server gives them: the same in light and dark, apart by lightness too.
const kernels = ['#3b8fd0', '#2f78b7', '#4fa3e0', '#2a689f', '#5aaee6', '#3a84bd', '#4493cc', '#2471a8']
const colors = [
  ...kernels, '#e0962e', '#c98a4b', '#b8659b', // copy, fill, collective
  '#7a8fb5', '#6b82ab', '#8a9dc0', '#5f769e', // operators
  '#9a9f8a', '#8b907b', '#a9ae99', // Python
  '#b59a5d', '#b59a5d', // calls of the runtime
  '#7fae8f', '#6fa081', '#8fbc9e', // ranges
  '#c9787a', '#9aa0aa', // waits, the profiler
  '#8c93a1', '#d1622b', '#c9a227', '#b0485c', '#dd8a32', '#7b6fc4', '#a05a9c', '#6d8f3f', '#5f8f8f', '#9aa3b2', '#b8bec9', // causes of idle time
  '#3b8fd0', '#d1622b', '#c9a227', '#7b6fc4', '#9aa3b2', '#b0485c', '#dd8a32', '#b8659b', // critical path
  '#5b7f95', '#7497ab', '#8c93a1', '#8c93a1',
]

export const palette = new Float32Array(48 * 4)
colors.slice(0, 48).forEach((c, i) => {
  for (let k = 0; k < 3; k++) palette[4 * i + k] = parseInt(c.slice(1 + 2 * k, 3 + 2 * k), 16) / 255
  palette[4 * i + 3] = 1
})

/** inks are what is readable on each color. */
export const inks = colors.map((_, i) => {
  const [r, g, b] = [0, 1, 2].map(k => palette[4 * i + k]).map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#10151d' : '#fff'
})

/** causes are the causes of idle time as the analysis names them, with the words and colors for them; timeline/derive.go has the same. */
export const causes: { cause: string; words: string; color: string }[] = ([
  ['unknown', 'unknown'], ['data_loading', 'waiting for data'], ['host_python', 'host code'], ['synchronization', 'synchronization'], ['transfer', 'copy wait'], ['launch', 'launching'],
  ['memory_allocation', 'allocation'], ['compilation', 'compiling'], ['checkpoint', 'checkpoint'], ['kernel_wait', 'between kernels'], ['profiler', 'profiler'],
] as const).map(([cause, words], i) => ({ cause, words, color: colors[25 + i] }))

/** causeWords is how people call a cause of idle time. */
export const causeWords = (cause: string) => causes.find(c => c.cause === cause)?.words ?? cause.replace(/_/g, ' ')
