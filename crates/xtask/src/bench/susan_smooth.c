/*
 * SUSAN smoothing (Smith and Brady, IJCV 23(1), 1997) as one writes it down: for each
 * pixel a loop over the mask, a table for the distance, a table for the difference in
 * brightness. The benchmark compiles it with -O2 and runs it in turn with ours.
 *
 *     susan_smooth large|huge BUDGET_MS
 *
 * prints the digest of the smoothed image, which is also ours, and the median time of an
 * image, in nanoseconds. The picture, the margins, the weights and the digest are those
 * of crates/workload/src/susan; tables are made with exp().
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RADIUS 7
#define ACROSS (2 * RADIUS + 1)
#define MOST_IMAGES 65536
#define FEWEST_IMAGES 3

static int width, height, stride;
static uint8_t *picture, *wide, *smooth;
/* By place in the mask; by difference in brightness, from -255 on. */
static int near[ACROSS * ACROSS], alike_by_difference[511];
static const int *const alike = alike_by_difference + 255;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* SplitMix64. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void make_picture(void)
{
	uint64_t state = 1997;

	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++) {
			int noise = (draw(&state) >> 32) * 24 >> 32;
			int dark = (x / 17 + y / 13) % 2 == 0;

			picture[y * width + x] = (dark ? 60 : 180) + noise;
		}
	}
}

static void make_tables(void)
{
	for (int y = -RADIUS; y <= RADIUS; y++)
		for (int x = -RADIUS; x <= RADIUS; x++)
			near[(y + RADIUS) * ACROSS + x + RADIUS] =
				lround(100 * exp(-(x * x + y * y) / 32.0));
	/* The pixel itself does not count. */
	near[RADIUS * ACROSS + RADIUS] = 0;
	for (int d = -255; d <= 255; d++)
		alike_by_difference[d + 255] = lround(100 * exp(-d * d / 400.0));
}

static void widen(void)
{
	for (int line = 0; line < height + 2 * RADIUS; line++) {
		int y = line < RADIUS ? 0 : line - RADIUS;
		uint8_t *to = wide + line * stride;
		const uint8_t *from;

		if (y > height - 1)
			y = height - 1;
		from = picture + y * width;
		memset(to, from[0], RADIUS);
		memcpy(to + RADIUS, from, width);
		memset(to + RADIUS + width, from[width - 1], RADIUS);
	}
}

static int by_value(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

static uint8_t median(const uint8_t *at)
{
	uint8_t eight[8] = {
		at[-stride - 1], at[-stride], at[-stride + 1], at[-1],
		at[1], at[stride - 1], at[stride], at[stride + 1],
	};

	qsort(eight, 8, 1, by_value);
	return (eight[3] + eight[4]) / 2;
}

static uint8_t smoothed(const uint8_t *at)
{
	const int *distance = near, *similar = alike - *at;
	int sum = 0, total = 0;

	for (int y = -RADIUS; y <= RADIUS; y++) {
		const uint8_t *row = at + y * stride;

		for (int x = -RADIUS; x <= RADIUS; x++) {
			int weight = *distance++ * similar[row[x]];

			total += weight;
			sum += weight * row[x];
		}
	}
	return total ? (sum + total / 2) / total : median(at);
}

static uint64_t digest(void)
{
	uint64_t hash = 0xcbf29ce484222325, word;
	size_t bytes = (size_t)width * height;

	/* Whole words: all sizes are multiples of eight. */
	for (size_t at = 0; at < bytes; at += 8) {
		memcpy(&word, smooth + at, 8);
		hash = (hash ^ word) * 0x100000001b3;
	}
	hash = (hash ^ bytes) * 0x100000001b3;
	return hash ^ hash >> 32;
}

static uint64_t image(void)
{
	widen();
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			smooth[y * width + x] =
				smoothed(wide + (y + RADIUS) * stride + x + RADIUS);
	return digest();
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int count, char **words)
{
	static double times[MOST_IMAGES];
	double ends;
	uint64_t result;
	int images = 0;

	if (count != 3) {
		fprintf(stderr, "usage: susan_smooth large|huge BUDGET_MS\n");
		return 2;
	}
	width = strcmp(words[1], "huge") ? 384 : 1024;
	height = strcmp(words[1], "huge") ? 288 : 1024;
	stride = width + 2 * RADIUS;
	picture = malloc(width * height);
	smooth = malloc(width * height);
	wide = malloc(stride * (height + 2 * RADIUS));
	if (!picture || !smooth || !wide)
		return 2;
	make_picture();
	make_tables();
	result = image();
	ends = now_ns() + atof(words[2]) * 1e6;
	while (images < FEWEST_IMAGES || (images < MOST_IMAGES && now_ns() < ends)) {
		double began = now_ns();
		uint64_t again = image();

		times[images++] = now_ns() - began;
		if (again != result)
			return 2;
	}
	qsort(times, images, sizeof(*times), by_time);
	printf("%016llx %.0f\n", (unsigned long long)result, times[images / 2]);
	return 0;
}
