/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CFTU_DEVICE_H
#define CFTU_DEVICE_H

int cftu_device_init(void);
void cftu_device_exit(void);

#endif
