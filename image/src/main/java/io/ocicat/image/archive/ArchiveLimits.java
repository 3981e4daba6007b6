package io.ocicat.image.archive;

/**
 * How much one archive may hold: an archive of a few megabytes can expand to petabytes, or to as
 * many empty files as the disk has inodes.
 *
 * @param bytes after decompression
 * @param header bytes of one extended header or long name
 */
public record ArchiveLimits(long bytes, long entries, int header) {
  /** More than the largest images in use have: 64 GiB and two million files in a layer. */
  public static final ArchiveLimits USUAL = new ArchiveLimits(64L << 30, 2_000_000, 1 << 20);
}
