/**
 * Compares the request and result of each ADD with the kernel's present state; {@code why}, {@code
 * doctor} and {@code pod ls} report attachments from here.
 */
@NullMarked
package io.ocicat.cli.check;

import org.jspecify.annotations.NullMarked;
