/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this plugin calls of QEMU's plugin interface, version 1, which
 * QEMU 7 and 8 speak (tried with 7.2). Debian packages no header for it.
 */
#ifndef CACHE_QEMU_API_H
#define CACHE_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_API_VERSION 1

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

enum { QEMU_CALL_NO_REGISTERS = 0 };
enum { QEMU_STORES = 2, QEMU_ALL_ACCESSES = 3 };

/* Ours, by these names. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

typedef void (*qemu_translated_fn)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_executed_fn)(unsigned int cpu, void *ours);
typedef void (*qemu_accessed_fn)(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address,
				 void *ours);
typedef void (*qemu_reset_fn)(qemu_plugin_id_t id);
typedef void (*qemu_idle_fn)(qemu_plugin_id_t id, unsigned int cpu);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_translated_fn call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_executed_fn call,
					  int registers, void *ours);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_accessed_fn call,
				      int registers, int accesses, void *ours);
/* NULL: no longer. */
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id, qemu_idle_fn call);
/* Forgets all callbacks and all translated code, then calls. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_reset_fn call);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t at);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* Where the instruction lies in QEMU's own memory. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *at);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *at);

#endif
