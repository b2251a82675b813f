/* SPDX-License-Identifier: GPL-2.0 */
/* The same copies as a trace event, for trace-cmd, Perfetto and BPF. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cftu

#if !defined(CFTU_REC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CFTU_REC_TRACE_H

#include <linux/tracepoint.h>

#include "../uapi/cftu_trace.h"

#ifndef CFTU_REC_TRACE_ONCE
#define CFTU_REC_TRACE_ONCE
/* Enabling the event attaches the probes, disabling it takes them away. */
int cftu_rec_trace_on(void);
void cftu_rec_trace_off(void);
#endif

#define cftu_operation_names					\
	{ CFTU_TRACE_COPY_FROM_USER,		"copy_from_user" },	\
	{ CFTU_TRACE_COPY_TO_USER,		"copy_to_user" },	\
	{ CFTU_TRACE_RAW_COPY_FROM_USER,	"__copy_from_user" },	\
	{ CFTU_TRACE_RAW_COPY_TO_USER,		"__copy_to_user" },	\
	{ CFTU_TRACE_ITER_FROM_USER,		"iter_from_user" },	\
	{ CFTU_TRACE_ITER_TO_USER,		"iter_to_user" }

#define cftu_engine_names					\
	{ CFTU_ENGINE_CPU,	"CPU" },			\
	{ CFTU_ENGINE_POLICY,	"DMA" }

TRACE_EVENT_FN(cftu_copy_user,
	TP_PROTO(const struct cftu_trace_record *record),
	TP_ARGS(record),
	TP_STRUCT__entry(
		__field(u64, start_ns)
		__field(u64, end_ns)
		__field(u64, length_bytes)
		__field(u64, not_copied_bytes)
		__field(unsigned long, caller)
		__field(u32, pid)
		__field(u16, cpu_start)
		__field(u16, cpu_end)
		__field(u16, flags)
		__field(u8, operation)
		__field(u8, engine)
	),
	TP_fast_assign(
		__entry->start_ns = record->start_ns;
		__entry->end_ns = record->end_ns;
		__entry->length_bytes = record->length_bytes;
		__entry->not_copied_bytes = record->not_copied_bytes;
		__entry->caller = record->caller;
		__entry->pid = record->pid;
		__entry->cpu_start = record->cpu_start;
		__entry->cpu_end = record->cpu_end;
		__entry->flags = record->flags;
		__entry->operation = record->operation;
		__entry->engine = record->engine;
	),
	TP_printk("%s length=%llu not_copied=%llu ns=%llu cpu=%u-%u %s caller=%pS",
		  __print_symbolic(__entry->operation, cftu_operation_names),
		  __entry->length_bytes, __entry->not_copied_bytes,
		  __entry->end_ns - __entry->start_ns,
		  __entry->cpu_start, __entry->cpu_end,
		  __print_symbolic(__entry->engine, cftu_engine_names),
		  (void *)__entry->caller),
	cftu_rec_trace_on, cftu_rec_trace_off
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE rec_trace
#include <trace/define_trace.h>
