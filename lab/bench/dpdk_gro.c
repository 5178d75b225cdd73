/*
 * Times DPDK's librte_gro: dpdk_gro EAL-ARGUMENT... -- FRAMES FLOWS DRAIN
 *
 * FRAMES holds the frames of the ring, each behind its length as a little-endian 16-bit number. Says "ready" when the ring is
 * built; then reads how many passes to make, a number a line, and answers every pass with a line: nanoseconds of processor time,
 * and packets that came out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_byteorder.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_gro.h>
#include <rte_ip.h>
#include <rte_mbuf.h>

/* Ethernet, IPv4 without options, TCP with timestamps. */
enum { L2 = 14, L3 = 20, L4 = 32 };

/* Packets that a driver hands over at once. */
enum { BURST = 64 };

struct ring {
	struct rte_mbuf **packets;
	/* What the library is given: it reorders the row. */
	struct rte_mbuf **row;
	uint16_t *lengths;
	uint32_t count;
	uint32_t drain;
	struct rte_gro_param param;
	/* The table that outlives a burst; NULL where a drain is no longer than the library's own bursts. */
	void *table;
};

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno ? errno : rte_errno));
	exit(1);
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);
	if (memory == NULL)
		fail("memory");
	return memory;
}

static uint32_t number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	if (*end != '\0' || value == 0 || value > UINT16_MAX) {
		fprintf(stderr, "%s: not a number from 1 to 65535\n", text);
		exit(1);
	}
	return value;
}

/* The next frame's length; 0 at the end of the file. */
static uint16_t next_length(FILE *file)
{
	uint8_t length[2];
	if (fread(length, 1, 2, file) != 2)
		return 0;
	return length[0] | length[1] << 8;
}

static uint32_t count_frames(FILE *file)
{
	uint32_t count = 0;
	for (uint16_t length; (length = next_length(file)) != 0; count++)
		if (fseek(file, length, SEEK_CUR) != 0)
			fail("frames");
	rewind(file);
	return count;
}

static void read_frames(struct ring *ring, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		fail(path);
	ring->count = count_frames(file);
	ring->packets = allocate(ring->count, sizeof(*ring->packets));
	ring->row = allocate(ring->count, sizeof(*ring->row));
	ring->lengths = allocate(ring->count, sizeof(*ring->lengths));
	struct rte_mempool *pool =
		rte_pktmbuf_pool_create("ring", ring->count, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	if (pool == NULL)
		fail("packet memory");
	for (uint32_t i = 0; i < ring->count; i++) {
		struct rte_mbuf *packet = rte_pktmbuf_alloc(pool);
		uint16_t length = next_length(file);
		if (packet == NULL || length < L2 + L3 + L4 || length > rte_pktmbuf_tailroom(packet))
			fail("a packet");
		if (fread(rte_pktmbuf_mtod(packet, void *), 1, length, file) != length)
			fail("a frame");
		packet->packet_type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_TCP;
		packet->l2_len = L2;
		packet->l3_len = L3;
		packet->l4_len = L4;
		ring->packets[i] = packet;
		ring->lengths[i] = length;
	}
	fclose(file);
}

static void choose_table(struct ring *ring, uint32_t flows)
{
	ring->param.gro_types = RTE_GRO_TCP_IPV4;
	ring->param.max_flow_num = flows;
	ring->param.max_item_per_flow = (ring->count + flows - 1) / flows;
	if (ring->drain <= RTE_GRO_MAX_BURST_ITEM_NUM)
		return;
	ring->table = rte_gro_ctx_create(&ring->param);
	if (ring->table == NULL)
		fail("table");
}

/* Makes the packets what they were before a pass: single, whole, with their own length in the IP header. */
static void restore(struct ring *ring)
{
	for (uint32_t i = 0; i < ring->count; i++) {
		struct rte_mbuf *packet = ring->packets[i];
		packet->next = NULL;
		packet->nb_segs = 1;
		packet->data_off = RTE_PKTMBUF_HEADROOM;
		packet->pkt_len = ring->lengths[i];
		packet->data_len = ring->lengths[i];
		struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(packet, struct rte_ipv4_hdr *, L2);
		ip->total_length = rte_cpu_to_be_16(ring->lengths[i] - L2);
	}
}

static uint32_t play_burst(struct ring *ring, uint32_t from, uint32_t count)
{
	memcpy(ring->row, ring->packets + from, count * sizeof(*ring->row));
	return rte_gro_reassemble_burst(ring->row, count, &ring->param);
}

static uint32_t play_table(struct ring *ring, uint32_t from, uint32_t count)
{
	uint32_t units = 0;
	for (uint32_t at = 0; at < count; at += BURST) {
		uint32_t burst = RTE_MIN(count - at, (uint32_t)BURST);
		memcpy(ring->row, ring->packets + from + at, burst * sizeof(*ring->row));
		units += rte_gro_reassemble(ring->row, burst, ring->table);
	}
	uint16_t out;
	while ((out = rte_gro_timeout_flush(ring->table, 0, RTE_GRO_TCP_IPV4, ring->row, ring->count)) > 0)
		units += out;
	return units;
}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * UINT64_C(1000000000) + time.tv_nsec;
}

static void pass(struct ring *ring, FILE *out)
{
	uint32_t units = 0;
	restore(ring);
	uint64_t start = now();
	for (uint32_t from = 0; from < ring->count; from += ring->drain) {
		uint32_t count = RTE_MIN(ring->count - from, ring->drain);
		units += ring->table == NULL ? play_burst(ring, from, count) : play_table(ring, from, count);
	}
	uint64_t nanoseconds = now() - start;
	fprintf(out, "%" PRIu64 " %" PRIu32 "\n", nanoseconds, units);
}

int main(int argc, char **argv)
{
	/* The answers have a stream of their own, whatever the library prints. */
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	if (out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		fail("output");
	int taken = rte_eal_init(argc, argv);
	if (taken < 0)
		fail("EAL");
	argc -= taken;
	argv += taken;
	if (argc != 4) {
		fprintf(stderr, "FRAMES FLOWS DRAIN expected\n");
		return 1;
	}
	struct ring ring = { .drain = number(argv[3]) };
	read_frames(&ring, argv[1]);
	choose_table(&ring, number(argv[2]));
	fprintf(out, "ready\n");
	fflush(out);

	char line[32];
	while (fgets(line, sizeof(line), stdin) != NULL) {
		for (unsigned long passes = strtoul(line, NULL, 10); passes > 0; passes--)
			pass(&ring, out);
		fflush(out);
	}
	return 0;
}
