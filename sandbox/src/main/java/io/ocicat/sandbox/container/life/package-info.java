/** The life of containers: their records, how they are created, end and are recovered. */
@NullMarked
package io.ocicat.sandbox.container.life;

import org.jspecify.annotations.NullMarked;
