@NullMarked
package io.ocicat.sandbox.container.conmon;

import org.jspecify.annotations.NullMarked;
