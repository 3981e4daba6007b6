/**
 * Compares what ADD was asked for and answered with the kernel as it is now; what {@code why},
 * {@code doctor} and {@code pod ls} say of an attachment comes from here.
 */
@NullMarked
package io.ocicat.cli.check;

import org.jspecify.annotations.NullMarked;
