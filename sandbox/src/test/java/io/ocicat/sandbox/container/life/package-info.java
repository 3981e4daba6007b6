@NullMarked
package io.ocicat.sandbox.container.life;

import org.jspecify.annotations.NullMarked;
