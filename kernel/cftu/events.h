/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of the copies, chunks, policies and the gate. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cftu

#if !defined(CFTU_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define CFTU_EVENTS_H

#include <linux/tracepoint.h>

#include "../uapi/cftu.h"

#define cftu_direction_name(v)					\
	__print_symbolic(v, { CFTU_FROM_USER, "from_user" },	\
			 { CFTU_TO_USER, "to_user" })

#define cftu_policy_name(v)						\
	__print_symbolic(v, { CFTU_POLICY_NONE, "none" },		\
			 { CFTU_POLICY_EXCLUSIVE, "exclusive" },	\
			 { CFTU_POLICY_SHARED, "shared" },		\
			 { CFTU_POLICY_PRIORITY, "priority" })

TRACE_EVENT(cftu_copy,
	TP_PROTO(unsigned int direction, size_t length, size_t not_copied, size_t dma_bytes,
		 unsigned int reason, int channel),
	TP_ARGS(direction, length, not_copied, dma_bytes, reason, channel),
	TP_STRUCT__entry(
		__field(u64, length)
		__field(u64, not_copied)
		__field(u64, dma_bytes)
		__field(u32, direction)
		__field(u32, reason)
		__field(s32, channel)
	),
	TP_fast_assign(
		__entry->length = length;
		__entry->not_copied = not_copied;
		__entry->dma_bytes = dma_bytes;
		__entry->direction = direction;
		__entry->reason = reason;
		__entry->channel = channel;
	),
	TP_printk("%s length=%llu not_copied=%llu dma=%llu channel=%d reason=%u",
		  cftu_direction_name(__entry->direction), __entry->length,
		  __entry->not_copied, __entry->dma_bytes, __entry->channel, __entry->reason)
);

TRACE_EVENT(cftu_chunk,
	TP_PROTO(int channel, size_t at, size_t length, unsigned int reason),
	TP_ARGS(channel, at, length, reason),
	TP_STRUCT__entry(
		__field(u64, at)
		__field(u64, length)
		__field(s32, channel)
		__field(u32, reason)
	),
	TP_fast_assign(
		__entry->at = at;
		__entry->length = length;
		__entry->channel = channel;
		__entry->reason = reason;
	),
	TP_printk("channel=%d at=%llu length=%llu reason=%u", __entry->channel, __entry->at,
		  __entry->length, __entry->reason)
);

TRACE_EVENT(cftu_policy,
	TP_PROTO(unsigned int kind, unsigned int channels),
	TP_ARGS(kind, channels),
	TP_STRUCT__entry(
		__field(u32, kind)
		__field(u32, channels)
	),
	TP_fast_assign(
		__entry->kind = kind;
		__entry->channels = channels;
	),
	TP_printk("%s channels=%u", cftu_policy_name(__entry->kind), __entry->channels)
);

TRACE_EVENT(cftu_gate,
	TP_PROTO(bool high),
	TP_ARGS(high),
	TP_STRUCT__entry(
		__field(bool, high)
	),
	TP_fast_assign(
		__entry->high = high;
	),
	TP_printk("window=%s", __entry->high ? "high" : "low")
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
