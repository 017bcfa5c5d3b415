// What the server answers; the names are those of `saturate analyze --format json`.

export interface Step { number: number; start_ns: number; end_ns: number; gpu_events: number; kernels: number; loader_host_ns: number; [part: string]: number }
export interface Gap { start_ns: number; end_ns: number; cause: string; place: string; next: string }
export interface IdleCause { cause: string; ns: number; gaps: number; place: string }
export interface GPU { device: number; busy_ratio: number; span: Record<string, number>; idle_by_cause: IdleCause[]; streams: Record<string, number>[]; longest_gaps: Gap[] }
export interface Kernel { name: string; count: number; total_ns: number; share: number; mean_ns: number; min_ns: number; max_ns: number; tensor_cores: string; operator?: string; module?: string; shapes?: number[][]; occupancy?: number; tflop_per_s?: number; roof_ratio?: number; bound?: string; per_step?: number }
export interface Operator { name: string; count: number; host_total_ns: number; host_self_ns: number; device_total_ns: number; device_self_ns: number; kernels: number; per_step?: number }
export interface Transfer { kind: string; memory: string; count: number; bytes: number; total_ns: number; blocking_ns: number; gb_per_s: number; hidden_ns: number }
export interface Sync { place: string; call: string; count: number; host_ns: number; per_step?: number }
export interface Prediction { repairs: any; step_ns?: number; low_ns?: number; high_ns?: number; asked?: boolean; [k: string]: any }
export interface Fix { title: string; safety: string; diff?: string }
export interface Finding { code: string; name: string; severity: string; message: string; why: string; advice?: string; place?: string; line?: number; source?: string; caret?: string; notes: string[]; gain?: string; shown_fixes: Fix[]; when?: { start_ns: number; end_ns: number }; estimate?: { seconds_per_step?: number; basis: string } }
export interface Analysis {
  verdict: { bottleneck: string; sentence: string; confidence: number }
  trace: { path: string; format: string; rank: number; gpu?: string; device: number }
  window: { start_ns: number; end_ns: number; steps: number; steps_from: string }
  gpus: GPU[]; steps: Step[]; transfers: Transfer[]; synchronizations: Sync[]; kernels: Kernel[]; operators: Operator[]
  ranges?: { name: string; count: number; total_ns: number; share: number }[]
  replays?: { capture: string; launches: number; total_ns: number; unknown?: number; ambiguous?: number; operators: { operator: string; place?: string; shapes?: number[][]; calls: number; total_ns: number; tflop_per_s?: number; roof_ratio?: number; bound?: string }[] }[]
  launch: Record<string, any>
  communication?: { total_ns: number; overlap_ns: number; exposed_ns: number; overlap: number; collectives: Record<string, any>[] }
  memory: { recorded: boolean; device: number; peak_bytes: number; peak_at_ns: number; reserved_bytes: number; total_bytes: number; fragmentation: number; allocations: number; held_at_peak: { operator: string; bytes: number; blocks: number }[]; spikes: { at_ns: number; bytes: number; operator: string }[]; driver_calls: number; driver_ns: number; retries: number }
  ranks?: { world: number; job_size?: number; sentence?: string; slowest: number; skew_ns: number; explained: number; recordings: number; matched: number; rows: Record<string, any>[]; groups?: Record<string, any>[]; notes?: string[] }
  quality: { events: number; dropped: number; repaired: number; truncated: boolean; notes: string[] }
  critical_path?: { total_ns: number; parts: { kind: string; ns: number; place: string }[] }
  what_if: Prediction[]; what_if_from?: { step_ns: number; calibrated: boolean; host_factor: number }
  memory_curve: { at: number; allocated: number; reserved: number }[]
  busy_over_time: number[][]
  shown_findings: Finding[]
}

export interface Part { name: string; s: number }
export interface RunStep { step: number; s: number; parts?: Part[]; samples?: number; loss?: number | string; tags?: string[] }
export interface RunRow { id: string; name: string; state: string; started: string; wall_s: number; command: string[] | null; steps: number; step_s: number; samples_s: number; data_share: number; commit: string; dirty: boolean; gpu: string; host: string; traces: string[]; called: string[]; parts: Part[]; tags: string[]; note: string }
export interface TraceRow { id: string; name: string; bytes: number; ranks?: number; run?: string }
export interface Flame { name: string; path?: string; line?: number; library?: boolean; s: number; calls?: Flame[] }
export interface Block { heading?: string; text?: string; code?: string; table?: { columns: { name: string; right?: boolean }[]; rows: string[][]; foot?: string }; svg?: string; narrow?: string; caption?: string; detail?: boolean }
export interface Page { title: string; summary: string[]; tone: string; diff?: string; figures: { name: string; value: string; note?: string }[]; warnings: string[]; blocks: Block[]; findings: Finding[]; next: string[] }
export interface RunPage { row: RunRow; run: any; steps: RunStep[]; steady: number[]; flame?: Flame; report: Page; note?: string }

/** parts of a step, in reading order, with the class of their color. */
export const PARTS: [string, string, string][] = [
  ['data_loading_ns', 'waiting for data', 'p-data'], ['h2d_ns', 'H2D copy', 'p-h2d'], ['transfer_wait_ns', 'copy wait', 'p-h2d2'],
  ['host_ns', 'host code', 'p-host'], ['compiling_ns', 'compiling', 'p-compile'], ['checkpoint_ns', 'checkpoint', 'p-check'],
  ['launch_ns', 'launching', 'p-launch'], ['sync_ns', 'sync wait', 'p-sync'], ['allocation_ns', 'allocation', 'p-alloc'],
  ['compute_ns', 'compute', 'p-compute'], ['communication_ns', 'communication', 'p-comm'], ['other_gpu_ns', 'other GPU', 'p-other'], ['idle_ns', 'idle', 'p-idle'],
]
