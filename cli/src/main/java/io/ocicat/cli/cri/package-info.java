/** {@code ocicat cri}. */
@NullMarked
package io.ocicat.cli.cri;

import org.jspecify.annotations.NullMarked;
