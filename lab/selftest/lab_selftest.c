// SPDX-License-Identifier: GPL-2.0
/*
 * The laboratory's own subject: says that it is there, and does on demand what
 * the laboratory has to notice.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/reboot.h>
#include <linux/slab.h>

static bool warn;
module_param(warn, bool, 0444);
MODULE_PARM_DESC(warn, "trip a WARN_ON()");

static bool hang;
module_param(hang, bool, 0444);
MODULE_PARM_DESC(hang, "never come back from loading");

static bool restart;
module_param(restart, bool, 0444);
MODULE_PARM_DESC(restart, "restart the machine while loading");

static bool leak;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "lose memory while loading");

static bool race;
module_param(race, bool, 0444);
MODULE_PARM_DESC(race, "take two locks in either order");

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(other);

static void take(struct mutex *first, struct mutex *second)
{
	mutex_lock(first);
	mutex_lock(second);
	mutex_unlock(second);
	mutex_unlock(first);
}

static void misbehave_for_checkers(void)
{
	/* Several: a stale pointer on some stack may hide one. */
	int i;

	for (i = 0; leak && i < 8; i++)
		kmalloc(333, GFP_KERNEL);
	if (race) {
		take(&one, &other);
		take(&other, &one);
	}
}

static int __init lab_selftest_init(void)
{
	pr_info("lab_selftest: loaded\n");
	WARN_ON(warn);
	misbehave_for_checkers();
	while (hang)
		msleep(1000);
	if (restart)
		emergency_restart();
	return 0;
}

static void __exit lab_selftest_exit(void)
{
	pr_info("lab_selftest: unloaded\n");
}

module_init(lab_selftest_init);
module_exit(lab_selftest_exit);

MODULE_DESCRIPTION("Subject of the laboratory's self-test");
MODULE_LICENSE("GPL");
