// SPDX-License-Identifier: GPL-2.0
/*
 * The laboratory's own subject: says that it is there, and does on demand what
 * the laboratory has to notice.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/reboot.h>

static bool warn;
module_param(warn, bool, 0444);
MODULE_PARM_DESC(warn, "trip a WARN_ON()");

static bool hang;
module_param(hang, bool, 0444);
MODULE_PARM_DESC(hang, "never come back from loading");

static bool restart;
module_param(restart, bool, 0444);
MODULE_PARM_DESC(restart, "restart the machine while loading");

static int __init lab_selftest_init(void)
{
	pr_info("lab_selftest: loaded\n");
	WARN_ON(warn);
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
