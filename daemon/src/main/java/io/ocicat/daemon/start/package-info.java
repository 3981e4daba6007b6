/** What a daemon does at its start so that its first calls are not slower than all others. */
@NullMarked
package io.ocicat.daemon.start;

import org.jspecify.annotations.NullMarked;
