package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;

/** Corrects the counts that handles keep per block. Thread-safe. */
public final class HandleCounts {
  private final IpamRecords records;
  private final Blocks blocks;
  private final BlockWriter writer;

  public HandleCounts(IpamRecords records, Blocks blocks, BlockWriter writer) {
    this.records = records;
    this.blocks = blocks;
    this.writer = writer;
  }

  /** Sets all counts of a handle to what the blocks say. */
  public void recountAll(IpamHandle handle) {
    for (IpPrefix block : handle.counts().keySet()) {
      records.handle(handle.id()).ifPresent(current -> recount(block, current));
    }
  }

  /** Sets a handle's count for a block to what the block says. */
  public void recount(IpPrefix cidr, IpamRecords.Stored<IpamHandle> handle) {
    writer.recount(blocks.queue(cidr), handle);
  }

  /** Creates a missing handle, with the count that the block says. */
  public void create(String id, IpPrefix cidr) {
    writer.createHandle(blocks.queue(cidr), id);
  }

  /** Deletes a handle that names no block. */
  public void delete(IpamRecords.Stored<IpamHandle> handle) {
    writer.deleteHandle(handle);
  }
}
