/** Comparing the records with each other and with what is in use, and repairing them. */
@NullMarked
package io.ocicat.ipam.check;

import org.jspecify.annotations.NullMarked;
