/** Tests of the messages. */
@NullMarked
package io.ocicat.cri.message;

import org.jspecify.annotations.NullMarked;
